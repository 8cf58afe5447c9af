"""Who may ask: this machine's own page, and beyond this machine only those with the token.

A web page elsewhere can make a browser send requests to 127.0.0.1, and a name elsewhere can be pointed at it (DNS
rebinding). So the Host must be ours, a POST must come from our own page and carry JSON, and there is no CORS.
"""

import json
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jumok.asgi.hosts import is_address, is_loopback, split_host
from jumok.asgi.messages import Headers, read_body, replayed, respond

COOKIE = "jumok_studio"
BODY_LIMIT = 4_000_000
BODY_LIMITS = {"/api/v1/pictures": 11_000_000}
"""Bytes of a body where an address takes more than others."""
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
class AccessPolicy:
    """What is let in: hosts (names without a port) and, beyond loopback, a token."""

    hosts: frozenset[str]
    port: int | None = None
    """The port that Host must name; None where it is not known, as in a test without a socket."""
    token: str | None = None

    @classmethod
    def for_host(cls, host: str, port: int | None) -> "AccessPolicy":
        """The policy of a studio that listens on that host."""
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


class Guard:
    """ASGI middleware: checks every request before anything reads it, and puts the safety headers on every answer."""

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self.app, self.access = app, access

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
        if self.access.token is not None and not self.has_token(headers):
            await self.ask_for_token(scope, send)
            return
        most = body_limit(scope)
        body = await read_body(receive, most) if scope["method"] not in _SAFE else b""
        if body is None:
            await answer(send, *larger_than(most))
            return
        await self.app(scope, replayed(body, receive), send)

    def refusal(self, scope: Scope, headers: "Headers") -> tuple[int, str, str] | None:
        """Status, code and sentence where the request is not let in."""
        hosts = headers.all("host")
        if len(hosts) != 1 or not self.access.knows_host(hosts[0]):
            return 403, "forbidden", "The studio does not answer to this Host; open it by the address it printed."
        if headers.one("sec-fetch-site") in ("cross-site", "same-site") and not _is_first_visit(scope, headers):
            return 403, "forbidden", "The studio answers only to its own page."
        if scope["method"] in _SAFE:
            return None
        origin = headers.one("origin")
        if origin is not None and origin.lower() != f"http://{hosts[0].strip().lower()}":
            return 403, "forbidden", "The studio takes requests only from its own page."
        length = headers.one("content-length") or "0"
        most = body_limit(scope)
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > most:
            return larger_than(most)
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
        assert self.access.token is not None
        return secrets.compare_digest(text.encode(), self.access.token.encode())

    async def ask_for_token(self, scope: Scope, send: Send) -> None:
        """Exchanges `/?token=…` for a cookie, or says that the token is needed."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        if scope["method"] == "GET" and scope["path"] == "/" and self._fits(given):
            rest = urlencode(query, doseq=True)
            cookie = f"{COOKIE}={self.access.token}; Path=/; HttpOnly; SameSite=Strict"
            headers = [("location", f"/?{rest}" if rest else "/"), ("set-cookie", cookie)]
            await respond(send, 303, b"", headers)
            return
        await answer(send, 401, "token_needed", "Open the studio by the address it printed, with its token.")


def body_limit(scope: Scope) -> int:
    """How many bytes a body may have at this address."""
    return BODY_LIMITS.get(scope["path"], BODY_LIMIT)


def larger_than(most: int) -> tuple[int, str, str]:
    """Status, code and sentence for a body that is too large."""
    return 413, "too_large", f"The body is larger than {most} bytes; send less."


def _is_first_visit(scope: Scope, headers: "Headers") -> bool:
    """A link to the page itself, followed from elsewhere, may be opened."""
    return scope["method"] == "GET" and scope["path"] == "/" and headers.one("sec-fetch-mode") == "navigate"


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


async def answer(send: Send, status: int, code: str, message: str) -> None:
    """An error in the form of the contract."""
    body = json.dumps({"version": 1, "error": {"code": code, "message": message}}).encode()
    await respond(send, status, body, [("content-type", "application/json")])
