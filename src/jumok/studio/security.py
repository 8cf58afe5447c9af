"""Who may ask: this machine's own page, and beyond this machine only those with the token.

A web page elsewhere can make a browser send requests to 127.0.0.1, and a name elsewhere can be pointed at it (DNS
rebinding). So the Host must be ours, a POST must come from our own page and carry JSON, and there is no CORS.
"""

import ipaddress
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "jumok_studio"
BODY_LIMIT = 4_000_000
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_SAFE = ("GET", "HEAD")


@dataclass(frozen=True)
class Door:
    """What is let in: hosts (names without a port) and, beyond loopback, a token."""

    hosts: frozenset[str]
    port: int | None = None
    """The port that Host must name; None where it is not known, as in a test without a socket."""
    token: str | None = None

    @classmethod
    def for_host(cls, host: str, port: int | None) -> "Door":
        """The door of a studio that listens on that host."""
        here = {"127.0.0.1", "localhost", "::1"}
        if is_loopback(host):
            return cls(frozenset(here | {host.lower()}), port)
        return cls(frozenset(here | {host.lower()}), port, secrets.token_urlsafe(24))

    def knows_host(self, header: str) -> bool:
        """Whether a Host header is ours; with a token any address in figures is: no name can be rebound to it."""
        name, port = split_host(header)
        if self.port is not None and (port or 80) != self.port:
            return False
        return name in self.hosts or (self.token is not None and is_address(name))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_address(name: str) -> bool:
    """Whether the name is an address in figures."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def split_host(header: str) -> tuple[str, int | None]:
    """`localhost:8000` → (`localhost`, 8000); an address of version 6 stands in brackets."""
    name, port = header.strip().lower(), ""
    if name.startswith("["):
        name, _, rest = name[1:].partition("]")
        port = rest.removeprefix(":")
    elif name.count(":") == 1:
        name, _, port = name.partition(":")
    if not port:
        return name, None
    return (name, int(port)) if port.isascii() and port.isdigit() and len(port) <= 5 else ("", None)


class Guard:
    """ASGI middleware: checks every request before anything reads it, and puts the safety headers on every answer."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here: the server closes them
        send = with_headers(send, scope["path"])
        headers = Headers(scope["headers"])
        refused = self.refusal(scope, headers)
        if refused is not None:
            await answer(send, *refused)
            return
        if self.door.token is not None and not self.has_token(headers):
            await self.ask_for_token(scope, send)
            return
        body = await read_body(receive) if scope["method"] not in _SAFE else b""
        if body is None:
            await answer(send, 413, "too_large", f"The body is larger than {BODY_LIMIT} bytes; send less.")
            return
        await self.app(scope, replayed(body, receive), send)

    def refusal(self, scope: Scope, headers: "Headers") -> tuple[int, str, str] | None:
        """Status, code and sentence where the request is not let in."""
        hosts = headers.all("host")
        if len(hosts) != 1 or not self.door.knows_host(hosts[0]):
            return 403, "forbidden", "The studio does not answer to this Host; open it by the address it printed."
        if headers.one("sec-fetch-site") in ("cross-site", "same-site") and not _is_first_visit(scope, headers):
            return 403, "forbidden", "The studio answers only to its own page."
        if scope["method"] in _SAFE:
            return None
        origin = headers.one("origin")
        if origin is not None and origin.lower() != f"http://{hosts[0].strip().lower()}":
            return 403, "forbidden", "The studio takes requests only from its own page."
        length = headers.one("content-length") or "0"
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > BODY_LIMIT:
            return 413, "too_large", f"The body is larger than {BODY_LIMIT} bytes; send less."
        kind = (headers.one("content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return 415, "json_needed", "The body must be sent as application/json."
        return None

    def has_token(self, headers: "Headers") -> bool:
        """Whether the request carries the token, as a cookie or in the Authorization header."""
        given = (headers.one("authorization") or "").removeprefix("Bearer ").strip()
        try:
            cookie = SimpleCookie("; ".join(headers.all("cookie"))).get(COOKIE)
        except CookieError:
            cookie = None
        return any(self._fits(text) for text in (given, cookie.value if cookie else ""))

    def _fits(self, text: str) -> bool:
        assert self.door.token is not None
        return secrets.compare_digest(text.encode(), self.door.token.encode())

    async def ask_for_token(self, scope: Scope, send: Send) -> None:
        """Exchanges `/?token=…` for a cookie, or says that the token is needed."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        if scope["method"] == "GET" and scope["path"] == "/" and self._fits(given):
            rest = urlencode(query, doseq=True)
            cookie = f"{COOKIE}={self.door.token}; Path=/; HttpOnly; SameSite=Strict"
            headers = [("location", f"/?{rest}" if rest else "/"), ("set-cookie", cookie)]
            await respond(send, 303, b"", headers)
            return
        await answer(send, 401, "token_needed", "Open the studio by the address it printed, with its token.")


def _is_first_visit(scope: Scope, headers: "Headers") -> bool:
    """A link to the page itself, followed from elsewhere, may be opened."""
    return scope["method"] == "GET" and scope["path"] == "/" and headers.one("sec-fetch-mode") == "navigate"


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


def with_headers(send: Send, path: str) -> Send:
    """The same `send`, with the safety headers on every answer."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", [])}
            extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items() if k.lower().encode() not in names]
            if path.startswith("/api/") or path == "/":
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return guarded


async def read_body(receive: Receive) -> bytes | None:
    """The whole body, or None where it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > BODY_LIMIT:
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


async def answer(send: Send, status: int, code: str, message: str) -> None:
    """An error in the form of the contract."""
    body = json.dumps({"version": 1, "error": {"code": code, "message": message}}).encode()
    await respond(send, status, body, [("content-type", "application/json")])


async def respond(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    """A whole answer."""
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    raw.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
