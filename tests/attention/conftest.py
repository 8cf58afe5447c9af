"""Every mechanism, built for prime sizes so that no transposition can pass."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from jumok.attention import build, catalog

Q = 13  # queries and keys have one size, because dot products need it
B, T, S, D = 3, 5, 11, 7

NAMES = [mechanism.name for mechanism in catalog()]
CONTENT = [  # scores that see what a key holds, not where it stands, in global scope and without a draw
    m.name
    for m in catalog()
    if m.scope == "global" and m.score not in ("location",) and m.normalise not in ("hard", "unnormalised")
]


@pytest.fixture
def make() -> Callable[..., Any]:
    """A mechanism with seeded parameters, in evaluation mode."""

    def of(name: str, dtype: torch.dtype = torch.float64, **options: Any) -> Any:
        torch.manual_seed(20)
        return build(name, query_dim=Q, key_dim=Q, value_dim=D, **options).to(dtype).eval()

    return of


@pytest.fixture
def tensors() -> Callable[..., Any]:
    """Seeded query, keys and values."""

    def of(dtype: torch.dtype = torch.float64, batch: int = B, queries: int = T, keys: int = S) -> Any:
        generator = torch.Generator().manual_seed(4)
        draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)  # noqa: E731
        return draw(batch, queries, Q), draw(batch, keys, Q), draw(batch, keys, D)

    return of
