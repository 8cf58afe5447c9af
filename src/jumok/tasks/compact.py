"""A copy of a run that holds only what is needed to use it, with its weights in half precision."""

import os
from pathlib import Path

from safetensors.torch import load as read_tensors
from torch import Tensor

from jumok.durable import write_folder
from jumok.errors import InputError
from jumok.run import manifest
from jumok.run.folder import config_bytes
from jumok.run.integrity import checked
from jumok.run.names import CONFIG, MANIFEST, METRICS, WEIGHTS
from jumok.text.files import file_names, files_of
from jumok.training.tensor_file import pack


def compact(run: str | Path, out: str | Path) -> Path:
    """Writes config, tokenizers, float16 weights, their manifest and the metrics of a run into a new folder.

    run   a trained run folder, of any task
    out   the folder to write; it must not exist
    """
    run, out = Path(run), Path(out)
    if out.exists():
        raise InputError(f"{out} exists already; name a new folder, or move it away.")
    files = (files_of(run) if file_names(run) else {}) | {CONFIG: config_bytes(run)}
    with checked(run / WEIGHTS) as content:
        weights = read_tensors(content.bytes)
    files[WEIGHTS] = pack({name: _halved(value) for name, value in weights.items()})
    files[MANIFEST] = manifest.content_of(files)
    if (run / METRICS).is_file():
        files[METRICS] = (run / METRICS).read_bytes()
    write_folder(out, files, os.rename)
    return out


def _halved(tensor: Tensor) -> Tensor:
    return tensor.half() if tensor.is_floating_point() else tensor
