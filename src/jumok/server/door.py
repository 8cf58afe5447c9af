"""Requests that there is no room for, refused before anything is made of them.

Under ten times the load that a server takes, nine of ten requests are refused. Through the application that costs as
much time as it takes to translate the tenth, and refusals come late. Here one is a few comparisons and a text that is
ready.
"""

from collections.abc import Sequence
from http import HTTPStatus

from jumok.server.guard import TRANSLATING, Guard, refusal
from jumok.server.problems import RefusedError

NOT_HERE = frozenset([b"origin", b"expect", b"transfer-encoding", b"upgrade"])
"""Headers of requests that the application answers in any case: web pages are told more, and bodies whose length is not
known are counted there."""

Headers = Sequence[tuple[bytes, bytes]]


class Door:
    """Knows whether there is room, and what is said where there is none."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self._written: dict[tuple[int, int | None, str], tuple[bytes, bytes]] = {}

    def refuse(self, method: bytes, path: str, headers: Headers, client: str, always: Headers) -> bytes | None:
        """The answer to a request that there is no room for, which has been counted and logged; None for all others.

        `always` are headers that every answer of the server has.
        """
        path = self.guard.access.own_path(path)
        if method != b"POST" or path not in TRANSLATING or (error := self.guard.no_room(path)) is None:
            return None
        if not self._short(headers):
            return None
        name = self.guard.name()
        before, after = self._text(error, path)
        self.guard.note(path, "POST", client, name, error.status, 0.0)
        common = b"".join([b"\r\n%s: %s" % one for one in always])
        return b"".join([before, name.encode(), common, after])

    def _short(self, headers: Headers) -> bool:
        """Whether a request has a body of an allowed length, and nothing that must be looked at."""
        length = b""
        for name, value in headers:
            if name in NOT_HERE:
                return False
            length = value if name == b"content-length" else length
        return length.isdigit() and len(length) < 12 and int(length) <= self.guard.limits.body

    def _text(self, error: RefusedError, path: str) -> tuple[bytes, bytes]:
        """An answer, but for the name of the request, which belongs between the two."""
        key = (error.status, error.retry, path)
        if key not in self._written:
            body = refusal(error, path)
            lines = [f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}", "content-type: application/json"]
            lines += [f"{name.lower()}: {value}" for name, value in error.headers.items()]
            lines += [f"content-length: {len(body)}", "x-content-type-options: nosniff", "cache-control: no-store"]
            self._written[key] = "\r\n".join([*lines, "x-request-id: "]).encode(), b"\r\n\r\n" + body
        return self._written[key]
