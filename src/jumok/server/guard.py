"""Checks every request before anything reads it (Host, Origin, size, keys), and logs it without its text."""

import asyncio
import itertools
import json
import re
import time
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jumok.asgi.cancelling import attended
from jumok.asgi.hosts import is_address, is_loopback, split_host
from jumok.asgi.messages import Headers, Incoming, body_parts, given_once, respond
from jumok.server.asking import Asking, asking
from jumok.server.keys import Key, Keyring
from jumok.server.log import Log
from jumok.server.problems import RefusedError, too_large
from jumok.server.service import Service

OPEN = ("/health", "/ready")
"""What needs no key: a load balancer has none."""
TRANSLATING = frozenset(["/v1/translate", "/translate", "/translator/translate", "/v2/translate"])
"""What needs room in the queue."""
UNREAD = (403, 413)
"""Refusals that may come before the body; the connection is closed after them, as after a body that is late."""
CLIENT_LEFT = 499
MOST_FIELDS = 1000
"""Of a form; to read more would hold others up."""
ALLOWED = b"access-control-allow-origin"
EXPOSED = ("Retry-After", "X-Request-Id")
"""Headers of an answer that a web page may read."""
MULTIPART_KEY = re.compile(rb'name="api_key"\r\n\r\n([^\r\n]{1,500})\r\n')
LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
KNOWN = frozenset(
    [
        "/translate",
        "/languages",
        "/detect",
        "/health",
        "/ready",
        "/metrics",
        "/frontend/settings",
        "/v1/translate",
        "/v1/runs",
        "/v1/openapi.json",
        "/translator/translate",
        "/translator/models",
        "/v2/translate",
    ]
)


@dataclass(frozen=True)
class Access:
    """Who is let in."""

    host: str = "127.0.0.1"
    names: frozenset[str] = frozenset()
    """Host names that a proxy in front passes on."""
    origins: frozenset[str] = frozenset()
    """Web pages that may ask from a browser."""
    keys: Keyring | None = None
    log_text: bool = False
    """Whether what is translated is written to the log."""
    root: str = ""
    """Path under which a proxy offers the server, whether it takes it away from requests or not."""

    def knows_host(self, header: str) -> bool:
        """Whether a Host header is ours. With keys an address in figures is too: no name can be rebound to it."""
        name, _ = split_host(header)
        if name in self.names or name == self.host.lower():
            return True
        return name in LOCAL if is_loopback(self.host) else self.keys is not None and is_address(name)

    def own_path(self, path: str) -> str:
        """A path as ours: a proxy may pass on its own path in front of it."""
        return path[len(self.root) :] if self.root and path.startswith(self.root + "/") else path


class Guard:
    """ASGI middleware around the whole server."""

    def __init__(self, app: ASGIApp, access: Access, service: Service, log: Log) -> None:
        self.app, self.access, self.service, self.log = app, access, service, log
        self.limits, self.metrics = service.limits, service.metrics
        self.under_way = 0
        self.arriving = 0
        self._name, self._numbers = uuid4().hex[:8], itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        if (path := self.access.own_path(scope["path"])) != scope["path"]:
            scope = {**scope, "path": path}
        start, status, name = time.perf_counter(), [CLIENT_LEFT], self.name()
        page = self._page(scope)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                raw = [
                    (b"x-request-id", name.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"cache-control", b"no-store"),
                ]
                given = message.get("headers", [])
                told = any(header == ALLOWED for header, _ in given)  # by the application, of its own answers
                message = {**message, "headers": [*given, *raw, *([] if told else page)]}
            await send(message)

        try:
            await self._pass(scope, receive, sent, name)
        except Exception as error:  # an error of ours, which was answered with 500
            self.log({"time": round(time.time(), 3), "id": name, "error": type(error).__name__, "at": place_of(error)})
            if status[0] == CLIENT_LEFT:
                raise
        finally:
            client = (scope.get("client") or ("",))[0]
            self.note(path, scope["method"][:8], client, name, status[0], time.perf_counter() - start)

    def _page(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """What lets a web page that may ask read refusals too."""
        if not self.access.origins:
            return []
        found = [value for header, value in scope["headers"] if header == b"origin"]
        if len(found) != 1 or found[0].decode("latin-1") not in self.access.origins:
            return []
        exposed = (b"access-control-expose-headers", ", ".join(EXPOSED).encode())
        return [(ALLOWED, found[0]), exposed, (b"vary", b"Origin")]

    def name(self) -> str:
        """The name of a request, in its answer and in the log."""
        return f"{self._name}-{next(self._numbers):x}"

    async def _pass(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        """The request checked and handed on, or refused."""
        incoming = Incoming(receive)
        try:
            headers = Headers(scope["headers"])
            self._admit(scope, headers)
            safe = scope["method"] in ("GET", "HEAD") and headers.one("content-length") is None
            body = b"" if safe else await self._body(incoming)
            key = self._key(scope, headers, body)
            state = {**scope.get("state", {}), "key": key, "keys_needed": self.access.keys is not None}
            scope = {**scope, "state": state}
            self._enter(scope)
        except RefusedError as error:
            if error.status in UNREAD:
                await incoming.discard(self.limits.body_seconds)
            unread = [("connection", "close")] if error.status in (*UNREAD, 408) else []
            headers = [("content-type", "application/json"), *error.headers.items(), *unread]
            await respond(send, error.status, refusal(error, scope["path"]), headers)
            return
        asking.set(self._asking(name, key))
        try:
            await attended(self.app(scope, given_once(body), send), receive)
        finally:
            self._leave()

    def _enter(self, scope: Scope) -> None:
        """Counts a request that has arrived whole; raises where there are too many."""
        if (error := self.no_room(scope["path"])) is not None:
            raise error
        self.under_way += 1
        self.metrics.under_way.set(self.under_way)

    def no_room(self, path: str) -> RefusedError | None:
        """What a request is told that comes while as many are answered as may be, or the queue is full."""
        if self.under_way >= self.limits.requests and path not in OPEN:
            return RefusedError(503, "busy", "Too many requests at a time; try again in a second.", retry=1)
        return self.service.no_room() if path in TRANSLATING else None

    def _leave(self) -> None:
        self.under_way -= 1
        self.metrics.under_way.set(self.under_way)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        """Raises where a request is not let in."""
        hosts = headers.all("host")
        if len(hosts) != 1 or not self.access.knows_host(hosts[0]):
            raise RefusedError(403, "forbidden", "The server does not answer to this Host; name it with --allow-host.")
        origin = headers.one("origin")
        if origin is not None and origin not in self.access.origins:
            raise RefusedError(
                403, "forbidden", "Web pages of other origins may not ask; name one with --allow-origin."
            )
        length = headers.one("content-length") or "0"
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > self.limits.body:
            raise too_large(f"The body is larger than {self.limits.body} bytes; send less.")

    async def _body(self, receive: Receive) -> bytes:
        """The whole body; raises where it is too large, too slow, or where too much is arriving at a time."""
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for part in body_parts(receive):
                    parts.append(part)
                    self.arriving += len(part)
                    self._check_arriving(sum(map(len, parts)))
        except TimeoutError:
            raise RefusedError(408, "slow", "The body did not arrive in time.") from None
        finally:
            self.arriving -= sum(map(len, parts))
        return b"".join(parts)

    def _check_arriving(self, size: int) -> None:
        """Raises where a body, or all that arrive now, are larger than may be."""
        if size > self.limits.body:
            raise too_large(f"The body is larger than {self.limits.body} bytes; send less.")
        if self.arriving > self.limits.bodies:
            raise RefusedError(503, "busy", "Too much is arriving at a time; try again in a second.", retry=1)

    def _asking(self, name: str, key: Key | None) -> Asking:
        """What is known of a request that has arrived whole."""
        keys = self.access.keys
        return Asking(name) if keys is None or key is None else Asking(name, partial(keys.charge, key))

    def _key(self, scope: Scope, headers: Headers, body: bytes) -> Key | None:
        """The key of the client, where keys are needed; it has one request less now."""
        keys = self.access.keys
        if keys is None or scope["path"] in OPEN or scope["method"] == "OPTIONS":
            return None
        found = keys.find(given_key(headers, scope["query_string"], body))
        if found is None:
            raise RefusedError(401, "key_needed", "A valid key is needed: Authorization: Bearer KEY, or api_key.")
        keys.spend(found)
        return found

    def note(self, path: str, method: str, client: str, name: str, status: int, seconds: float) -> None:
        """Counts and logs a request; paths that are not ours are not repeated."""
        route = path if path in KNOWN else "other"
        self.metrics.answered(route, status, seconds)
        if route not in OPEN:
            self.log({"time": round(time.time(), 3), "id": name, "route": route, "method": method,
                      "status": status, "ms": round(seconds * 1000, 1), "client": client})  # fmt: skip


def given_key(headers: Headers, query: bytes, body: bytes) -> str | None:
    """A key from a header, the query or the body: each API has its own place for it."""
    authorization = headers.one("authorization") or ""
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() in ("bearer", "deepl-auth-key"):
        return given.strip()
    if headers.one("x-api-key"):
        return headers.one("x-api-key")
    if found := MULTIPART_KEY.search(body):
        return found[1].decode("latin-1")
    try:
        if body.lstrip()[:1] == b"{":
            tree = json.loads(body)
            found = tree.get("api_key") if isinstance(tree, dict) else None
            return found if isinstance(found, str) else None
        body = b"" if body.lstrip()[:1] == b"[" else body
        if (query + body).count(b"&") >= MOST_FIELDS:
            raise too_large(f"A form has at most {MOST_FIELDS} fields; send JSON.")
        form = parse_qs((query + b"&" + body).decode("latin-1"))
    except (ValueError, RecursionError):
        return None
    return next(iter(form.get("api_key", [])), None)


def place_of(error: Exception) -> str:
    """Where an error was raised; what it says may have a client's text in it, and is not told."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(place.filename).name}, line {place.lineno}, {place.name}"


def refusal(error: RefusedError, path: str) -> bytes:
    """An error in the form of the API that was asked."""
    return json.dumps(problem_tree(error.code, str(error), path), ensure_ascii=False).encode()


def problem_tree(code: str, message: str, path: str) -> dict[str, Any]:
    """`{"error": {"code", "message"}}` for ours, LibreTranslate's and OpenNMT's a text, DeepL's a message.

    A message may repeat what was sent: it is cut short, and is Unicode text in any case.
    """
    message = message[:500].encode("utf-8", "replace").decode()
    if path.startswith("/v2/"):
        return {"message": message}
    if path.startswith("/v1/"):
        return {"error": {"code": code, "message": message}}
    return {"error": message} | ({"status": "error"} if path.startswith("/translator/") else {})
