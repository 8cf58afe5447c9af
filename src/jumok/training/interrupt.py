"""Signals: SIGTERM and Ctrl-C end a run after it has saved itself."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interrupted(BaseException):
    """A signal arrived where work can be dropped at once; not an error, and never caught as one."""


class Interrupts:
    """Remembers the first signal; inside `droppable()` it also raises, so that long work does not delay the end.

    A second signal ends the process at once, as without us.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._droppable = False
        self._before: dict[signal.Signals, object] = {}

    @property
    def exit_code(self) -> int:
        """128 + the signal's number, as shells count: 143 for SIGTERM, 130 for Ctrl-C; 0 without a signal."""
        return 0 if self.received is None else 128 + self.received

    def __enter__(self) -> "Interrupts":
        # Only the main thread hears signals; a training in another one ends with the program.
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before = {}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            self._restore()
            signal.raise_signal(number)
            return
        self.received = signal.Signals(number)
        if self._droppable:
            raise Interrupted

    @contextmanager
    def droppable(self, allowed: bool = True) -> Iterator[None]:
        """Work that may be thrown away when a signal comes."""
        if allowed and self.received is not None:
            raise Interrupted
        self._droppable = allowed
        try:
            yield
        finally:
            self._droppable = False
