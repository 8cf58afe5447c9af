"""Requests and answers as ASGI passes them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

from starlette.types import Message, Receive, Send


class Headers:
    """Request headers by lower-case name."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._raw = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw]

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self._raw if key == name]

    def one(self, name: str) -> str | None:
        """The value of a header, or None."""
        return next(iter(self.all(name)), None)


async def body_parts(receive: Receive) -> AsyncIterator[bytes]:
    """The parts of a body as they arrive; it ends where the client leaves."""
    more = True
    while more:
        message = await receive()
        yield message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)


class Incoming:
    """A `receive` that knows whether the body has been read to its end."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self.ended = receive, False

    async def __call__(self) -> Message:
        """The next message."""
        message = await self._receive()
        self.ended = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def discard(self, seconds: float) -> None:
        """Reads what is left of the body, for so long: a client that still sends would not see an answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.ended:
                    await self()


def given_once(body: bytes) -> Receive:
    """A `receive` that gives a whole body, and then nothing more."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future()

    return receive


async def read_body(receive: Receive, most: int) -> bytes | None:
    """The whole body, or None where it has more bytes than `most`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, and afterwards what still comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


async def respond(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    """A whole answer."""
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    raw.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
