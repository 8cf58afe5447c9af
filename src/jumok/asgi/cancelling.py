"""Work that ends when nobody waits for its answer: the client has left, or the server is closing.

A thread cannot be stopped from outside. `Presence` notes when a client disconnects, and the loops of the work call
`check_wanted` between their steps.
"""

import asyncio
import threading
from collections.abc import Awaitable
from contextvars import ContextVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_gone: ContextVar[threading.Event | None] = ContextVar("gone", default=None)


class AbandonedError(Exception):
    """Nobody waits for the result any more."""


def check_wanted() -> None:
    """Raises `AbandonedError` once nobody waits for what is being computed."""
    gone = _gone.get()
    if gone is not None and gone.is_set():
        raise AbandonedError


def current_flag() -> threading.Event:
    """The flag of the request that is being answered; setting it cancels the work. One of its own outside a request."""
    gone = _gone.get()
    if gone is None:
        gone = threading.Event()
        _gone.set(gone)
    return gone


class Presence:
    """ASGI middleware: gives every request a flag that is set when its client disconnects."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        gone = threading.Event()
        _gone.set(gone)  # each request is a task with a context of its own
        body = await receive()
        watching = asyncio.create_task(_watch(receive, gone))
        try:
            await self.app(scope, _after(body, watching), send)
        finally:
            watching.cancel()


async def attended(answering: Awaitable[None], receive: Receive) -> None:
    """Awaits an answer whose body has been read, and cancels it when the client leaves."""
    task, over = asyncio.current_task(), False
    assert task is not None

    def left(watching: "asyncio.Task[None]") -> None:
        if not (over or watching.cancelled()):
            task.cancel()

    leaving = asyncio.create_task(_left(receive))
    leaving.add_done_callback(left)
    try:
        await answering
    except asyncio.CancelledError:
        if not leaving.done() or task.uncancel():
            raise
    finally:
        over = True
        leaving.cancel()


async def _left(receive: Receive) -> None:
    """Returns when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _watch(receive: Receive, gone: threading.Event) -> None:
    """Returns when the client has disconnected, with its flag set."""
    await _left(receive)
    gone.set()


def _after(body: Message, watching: "asyncio.Task[None]") -> Receive:
    """A `receive` that gives the body, which the guard has read whole, and afterwards the disconnection."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return body
        await asyncio.shield(watching)
        return {"type": "http.disconnect"}

    return again
