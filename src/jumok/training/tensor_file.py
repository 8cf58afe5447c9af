"""Tensors as the bytes of a safetensors file, and back."""

from collections.abc import Mapping
from pathlib import Path

from safetensors.torch import load as read_tensors
from safetensors.torch import save as pack_tensors
from torch import Tensor

from jumok.errors import CheckpointError


def pack(tensors: Mapping[str, Tensor]) -> bytes:
    """Tensors as the bytes of a safetensors file; the same tensors give the same bytes."""
    # One key only: the order of several is not fixed.
    whole = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return pack_tensors(whole, metadata={"format": "pt"})


def unpack(content: bytes, where: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file."""
    try:
        return read_tensors(content)
    except Exception as error:
        raise CheckpointError(f"{where} is not a readable safetensors file: {error}.") from None
