"""The log: one JSON object per line on stderr, written beside the event loop.

A reader of stderr that is slow or stuck must not hold the server up: lines wait in memory, and beyond `MOST` of them
the newest are dropped and counted.
"""

import json
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

MOST = 10_000
PAUSE = 0.05
"""Seconds between two writings: a thread that wakes for every line would take turns with the event loop each time."""
Log = Callable[[dict[str, Any]], None]


class Logbook:
    """A log that never waits; `close` writes what is left, if the reader takes it within a second."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stderr
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.dropped = 0
        self._ending = threading.Event()
        self._writing = threading.Thread(target=self._write, name="jumok-log", daemon=True)
        self._writing.start()

    def __call__(self, entry: dict[str, Any]) -> None:
        """Writes an entry, soon."""
        if self._lines.qsize() >= MOST:
            self.dropped += 1
            return
        if self.dropped:
            entry, self.dropped = entry | {"dropped": self.dropped}, 0
        self._lines.put(json.dumps(entry, ensure_ascii=True))

    def _write(self) -> None:
        more = True
        while more:
            lines, more = self._waiting()
            try:
                self._file.write("".join(f"{line}\n" for line in lines))
                self._file.flush()
            except (OSError, ValueError):  # nobody reads any more
                return
            if more:
                self._ending.wait(PAUSE)

    def _waiting(self) -> tuple[list[str], bool]:
        """The lines that wait, at least one, and whether more may come."""
        lines: list[str] = []
        line = self._lines.get()
        while line is not None:
            lines.append(line)
            if self._lines.empty():
                return lines, True
            line = self._lines.get()
        return lines, False

    def close(self) -> None:
        """Ends the log."""
        self._lines.put(None)
        self._ending.set()
        self._writing.join(1.0)
