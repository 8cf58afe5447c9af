"""Jumok (주목): sequence-to-sequence learning with attention you can see."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jumok.decoding.translator import load as load

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def __getattr__(name: str) -> Any:
    """Loads torch only when it is asked for, so that `jumok --help` stays quick."""
    if name == "load":
        return import_module("jumok.decoding.translator").load
    raise AttributeError(f"module 'jumok' has no attribute '{name}'")
