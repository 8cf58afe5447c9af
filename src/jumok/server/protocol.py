"""HTTP on a connection: uvicorn's protocol over httptools, with the limits that it does not have itself."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 65_536
"""Bytes of a request before its body."""


def timed(seconds: float) -> type[HttpToolsProtocol]:
    """A protocol that closes connections that stall: request headers that do not come, and answers that are not read;
    and those whose headers do not end."""

    class Timed(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.header_timer: asyncio.TimerHandle | None = None
            self.reading_timer: asyncio.TimerHandle | None = None
            self.head = 0
            self._wait_for_headers()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            in_body = before is not None and before.more_body
            super().data_received(data)
            if in_body or self.cycle is not before:
                self.head = 0
            else:
                self._more_of_head(len(data))
            if self.cycle is None or self.cycle.response_complete:
                self._wait_for_headers()
            elif self.header_timer is not None:
                self.header_timer.cancel()
                self.header_timer = None

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
                self.header_timer = self.loop.call_later(seconds, self.transport.close)

        def pause_writing(self) -> None:
            super().pause_writing()
            self.reading_timer = self.loop.call_later(seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self.reading_timer is not None:
                self.reading_timer.cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            for timer in (self.header_timer, self.reading_timer):
                if timer is not None:
                    timer.cancel()
            super().connection_lost(exc)

    return Timed
