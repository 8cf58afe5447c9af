"""What modules keep besides their parameters: running statistics, the vectors of spectral norms, …"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def buffer_names(model: nn.Module) -> list[str]:
    """The buffers that belong to the model's state; those that it can compute again are left out."""
    saved = model.state_dict(keep_vars=True)
    return [name for name, _ in model.named_buffers(remove_duplicate=False) if name in saved]


def copy_buffers(model: nn.Module, names: list[str]) -> dict[str, Tensor]:
    """The present values of the buffers."""
    return {name: model.get_buffer(name).clone() for name in names}


@torch.no_grad()
def put_back(model: nn.Module, values: Mapping[str, Tensor]) -> None:
    """Gives the buffers earlier values."""
    for name, value in values.items():
        model.get_buffer(name).copy_(value)
