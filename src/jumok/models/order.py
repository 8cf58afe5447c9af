"""Positions in another order: how far a source reaches, and how it is turned around."""

import torch
from torch import Tensor


def lengths(mask_BS: Tensor) -> Tensor:
    """How far each source reaches: one past its last real position, and at least 1."""
    index_S = torch.arange(1, mask_BS.shape[1] + 1, device=mask_BS.device)
    return (mask_BS * index_S).amax(-1).clamp_min(1)


def reversal(mask_BS: Tensor) -> Tensor:
    """The index that turns each source around within its own length; it is its own inverse."""
    index_S = torch.arange(mask_BS.shape[1], device=mask_BS.device)
    mirrored_BS = lengths(mask_BS)[:, None] - 1 - index_S
    return torch.where(mirrored_BS >= 0, mirrored_BS, index_S)


def reorder(states_BSD: Tensor, index_BS: Tensor) -> Tensor:
    """States with position i taken from `index_BS[:, i]`."""
    return states_BSD.gather(1, index_BS[..., None].expand(-1, -1, states_BSD.shape[-1]))
