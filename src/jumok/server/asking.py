"""What is known of the request that is being answered, wherever it has got to."""

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asking:
    """A request of a client."""

    name: str = ""
    """In its answer and in the log."""
    charge: Callable[[int], None] = lambda _: None
    """Told how many sentences it has; counts them for the client's key."""
    arrived: float = field(default_factory=time.monotonic)
    """When all of it was there."""


asking: ContextVar[Asking | None] = ContextVar("asking", default=None)
