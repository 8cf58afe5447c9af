"""Checks of what callers give: an error of ours that names the argument and the expected shape, before any work."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from jumok.errors import NumericsError, ShapeError


class Sizes(NamedTuple):
    """The sizes a mechanism was built for; `value` is None where any will do."""

    query: int
    key: int
    value: int | None = None


def check_inputs(sizes: Sizes, query: Tensor | None, keys: Tensor | None, values: Tensor, mask: Tensor | None) -> None:
    """Raises unless query [B,T,Q], keys [B,S,K], values [B,S,D] and mask fit together and fit the mechanism."""
    states = values if keys is None else keys
    _check_states("keys", keys, "S", sizes.key)
    _check_states("values", values, "S", sizes.value)
    if states.shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            f"values must have one row for each key, of shape [{_list(states.shape[:-1])}, D], got {_shape(values)}."
        )
    if query is not None:
        _check_states("query", query, "T", sizes.query)
        if query.shape[:-2] != states.shape[:-2]:
            raise ShapeError(
                f"query and keys must have the same leading dimensions [B, …], got query {_shape(query)} and keys or "
                f"values {_shape(states)}."
            )
        if query.dtype != states.dtype:
            raise ShapeError(f"query and keys must have one type, got {query.dtype} and {states.dtype}; convert one.")
    if mask is not None:
        T = query.shape[-2] if query is not None else None
        check_mask(mask, states.shape[:-2], T, states.shape[-2])


def _check_states(name: str, states: Tensor | None, letter: str, size: int | None) -> None:
    if states is None:
        return
    want = f"[B, {letter}, {size if size is not None else 'D'}]"
    if not torch.is_tensor(states) or not states.is_floating_point():
        kind = states.dtype if torch.is_tensor(states) else type(states).__name__
        raise ShapeError(f"{name} must be a floating-point tensor of shape {want}, got {kind}.")
    if states.dim() < 3:
        raise ShapeError(f"{name} must have shape {want}, got {_shape(states)}; add the missing dimensions.")
    if size is not None and states.shape[-1] != size:
        raise ShapeError(f"{name} must have shape {want}, got {_shape(states)}: the last dimension must be {size}.")
    if 0 in states.shape:
        raise ShapeError(
            f"{name} must not be empty, got shape {_shape(states)}; attention needs at least one position."
        )


def check_mask(mask: Tensor, batch: torch.Size, T: int | None, S: int) -> None:
    """Raises unless the mask is boolean and broadcastable to [B, T, S]."""
    if not torch.is_tensor(mask) or mask.dtype != torch.bool:
        kind = mask.dtype if torch.is_tensor(mask) else type(mask).__name__
        raise ShapeError(f"mask must be boolean, True = may be attended, got {kind}; convert it with mask.bool().")
    # A mask prepared without a query may have any T.
    want = [*batch, T, S]
    have: list[int] = [1] * (len(want) - mask.dim()) + list(mask.shape)
    fits = len(have) == len(want) and all(h == 1 or w is None or h == w for h, w in zip(have, want, strict=True))
    if not fits or mask.dim() < 1 or have[-1] not in (1, S):
        hint = ""
        if mask.dim() == 2 and len(batch) == 1 and tuple(mask.shape) == (batch[0], S):
            hint = " A source mask [B, S] is given as mask[:, None, :]."
        shape = _list([*batch, "T" if T is None else T, S])
        raise ShapeError(f"mask must be broadcastable to [B, T, S] = [{shape}], got {_shape(mask)}.{hint}")


def check_positions(positions: Tensor | None, query: Tensor) -> None:
    """Raises unless positions are integers that fit [B, T]."""
    if positions is None:
        return
    if positions.is_floating_point() or positions.dtype == torch.bool:
        raise ShapeError(f"positions must be integers of shape [B, T], got {positions.dtype}.")
    want, have = query.shape[:-1], positions.shape
    fits = len(have) <= len(want) and len(have) >= 1 and have[-1] == want[-1]
    fits = fits and all(h in (1, w) for h, w in zip(have[::-1], want[::-1], strict=False))
    if not fits:
        raise ShapeError(f"positions must have shape [B, T] = [{_list(want)}], got {_shape(positions)}.")


def check_override(override: Tensor, query: Tensor, size: int) -> None:
    """Raises unless imposed weights fit [B, T, S]."""
    want = (*query.shape[:-1], size)
    if not override.is_floating_point():
        raise ShapeError(f"override must hold floating-point weights, got {override.dtype}.")
    have = override.shape
    if len(have) > len(want) or any(h not in (1, w) for h, w in zip(have[::-1], want[::-1], strict=False)):
        raise ShapeError(f"override must be broadcastable to [B, T, S] = [{_list(want)}], got {_shape(override)}.")


def check_dropout(dropout: float) -> None:
    """Raises unless a share of the weights can be dropped."""
    if not 0 <= dropout < 1:
        raise ShapeError(f"The dropout of attention must be at least 0 and less than 1, got {dropout}.")


def check_numbers(scores: Tensor) -> None:
    """Raises when a score is not a number, which would silently spoil every weight of its row."""
    # The sum is NaN when any score is; infinities of both signs make it NaN too, so the exact test decides.
    if scores.detach().sum().isnan() and scores.isnan().any():
        at = [int(i) for i in scores.isnan().nonzero()[0]]
        raise NumericsError(
            f"scores contain NaN, first at index {at} of shape {_shape(scores)}; look for NaN or infinite numbers in "
            "query, keys or the parameters of the score."
        )


def _shape(tensor: Tensor) -> str:
    return f"[{_list(tensor.shape)}]"


def _list(sizes: Iterable[object]) -> str:
    return ", ".join(str(size) for size in sizes)
