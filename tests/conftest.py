"""Shapes in public signatures are checked at run time, here and nowhere else."""

import os

from jaxtyping import install_import_hook

# Tests share the cores: without this every worker would start a thread for each core.
os.environ.setdefault("OMP_NUM_THREADS", "1")

install_import_hook(["jumok.attention", "jumok.models"], "beartype.beartype")
