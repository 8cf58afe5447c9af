"""HTTP on a connection: uvicorn's protocol over httptools, with the limits that it does not have itself."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jumok.server.door import Door

LONGEST_HEAD = 65_536
"""Bytes of a request before its body."""
TOGETHER = 32
"""Requests that begin in a turn of the event loop: refusals go out between turns, and these know what came before."""


class Starts:
    """Requests that are about to begin, a few in each turn of the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def add(self, start: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        """Calls `start` in this turn or a later one."""
        self._waiting.append(start)
        if len(self._waiting) == 1:
            loop.call_soon(self._some, loop)

    def _some(self, loop: asyncio.AbstractEventLoop) -> None:
        for _ in range(min(TOGETHER, len(self._waiting))):
            self._waiting.popleft()()
        if self._waiting:
            loop.call_soon(self._some, loop)


class Timed(HttpToolsProtocol):
    """A protocol that closes connections that stall: request headers that do not come, and answers that are not read;
    and those whose headers do not end. Requests that there is no room for are refused at the door."""

    seconds: ClassVar[float]
    door: ClassVar[Door | None]
    starts: ClassVar[Starts]

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.header_timer: asyncio.TimerHandle | None = None
        self.reading_timer: asyncio.TimerHandle | None = None
        self.head = 0
        self.refusal: bytes | None = None
        self.refusals = 0
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        before, refusals = self.cycle, self.refusals
        in_body = self.refusal is not None or (before is not None and before.more_body)
        super().data_received(data)
        refused = self.refusals != refusals
        if in_body or refused or self.refusal is not None or self.cycle is not before:
            self.head = 0
        else:
            self._more_of_head(len(data))
        if not refused and (self.cycle is None or self.cycle.response_complete):
            self._wait_for_headers()
        elif self.header_timer is not None:
            self.header_timer.cancel()
            self.header_timer = None

    def on_headers_complete(self) -> None:
        self.refusal = self._refused()
        if self.refusal is None:
            super().on_headers_complete()

    def _refused(self) -> bytes | None:
        """What a request is told that there is no room for; one that has others before it takes the long way."""
        parser, waits = self.parser, self.cycle is not None and not self.cycle.response_complete
        if self.door is None or parser is None or waits or self.flow.write_paused:
            return None
        if not parser.should_keep_alive() or parser.get_http_version() != "1.1":
            return None
        path, client = self.url.partition(b"?")[0].decode("latin-1"), self.client[0] if self.client else ""
        return self.door.refuse(parser.get_method(), path, self.headers, client, self.server_state.default_headers)

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        begin = super()._start_asgi_task
        self.starts.add(lambda: begin(cycle, app), self.loop)

    def on_body(self, body: bytes) -> None:
        if self.refusal is None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self.refusal is None:
            super().on_message_complete()
            return
        self.transport.write(self.refusal)
        self.refusal, self.refusals = None, self.refusals + 1
        self.on_response_complete()

    def _more_of_head(self, size: int) -> None:
        """Counts what came of headers that are not complete; too much ends the connection."""
        self.head += size
        if self.head <= LONGEST_HEAD or self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self.send_400_response("The headers of a request are too long.")
        else:
            self.transport.abort()

    def _wait_for_headers(self) -> None:
        if self.header_timer is None:
            self.header_timer = self.loop.call_later(self.seconds, self.transport.close)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.reading_timer = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.reading_timer is not None:
            self.reading_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self.header_timer, self.reading_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)


def timed(seconds: float, door: Door | None = None) -> type[Timed]:
    """The protocol of one server: uvicorn makes an object of it for each connection."""
    return type("Timed", (Timed,), {"seconds": seconds, "door": door, "starts": Starts()})
