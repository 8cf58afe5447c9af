"""`jumok serve`: a socket, one server process, its workers, and signals."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from jumok.asgi.hosts import is_loopback, listen
from jumok.errors import ConfigError
from jumok.server.app import create_app
from jumok.server.guard import Access
from jumok.server.keys import Keyring, read_keys
from jumok.server.limits import Limits
from jumok.server.service import Service
from jumok.server.worker import Loading

PORT = 8690


@dataclass(frozen=True)
class Serving:
    """How a server is started."""

    runs: Sequence[Path]
    host: str = "127.0.0.1"
    port: int | None = None
    workers: int = 1
    loading: Loading = field(default_factory=lambda: Loading({}))
    limits: Limits = field(default_factory=Limits)
    keys: Path | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    root_path: str = ""
    proxies: tuple[str, ...] = ()

    def access(self) -> Access:
        """Who is let in; beyond this machine nobody without a key."""
        if not is_loopback(self.host) and self.keys is None:
            raise ConfigError(f"{self.host} can be reached from other machines: name a key file with --keys.")
        keys = None if self.keys is None else Keyring(read_keys(self.keys, self.limits.rate))
        if keys is not None and not keys.keys:
            raise ConfigError(
                f"{self.keys} has no keys; make one with `jumok serve --new-key NAME --keys {self.keys}`."
            )
        return Access(self.host, frozenset(name.lower() for name in self.hosts), frozenset(self.origins), keys)


def serve(serving: Serving, say: Callable[[str], None] = print) -> None:
    """Serves until SIGTERM or Ctrl-C: what is under way is answered first. SIGHUP loads the runs again."""
    access = serving.access()
    listening = listen(serving.host, [serving.port] if serving.port is not None else [PORT, 0], "The server")
    try:
        service = Service(serving.runs, serving.loading, serving.workers, serving.limits)
        server = uvicorn.Server(configured(serving, service, access))
        shown = f"[{serving.host}]" if ":" in serving.host else serving.host
        asyncio.run(_run(server, service, listening, lambda: say(f"http://{shown}:{listening.getsockname()[1]}")))
    finally:
        listening.close()


def configured(serving: Serving, service: Service, access: Access) -> uvicorn.Config:
    """How uvicorn runs the application."""
    return uvicorn.Config(
        create_app(service, access, root_path=serving.root_path),
        http=timed(serving.limits.body_seconds),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=20,
        timeout_graceful_shutdown=int(serving.limits.drain),
        proxy_headers=bool(serving.proxies),
        forwarded_allow_ips=list(serving.proxies) or None,
    )


async def _run(server: uvicorn.Server, service: Service, listening: Any, say: Callable[[], None]) -> None:
    """The server's life in one event loop."""
    loop = asyncio.get_running_loop()
    kept: set[asyncio.Task[Any]] = set()

    def reload() -> None:
        task = loop.create_task(service.reload())
        kept.add(task)
        task.add_done_callback(kept.discard)

    async def tell() -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        say()

    # uvicorn answers what is under way and then raises the signal again, which would look like a failure.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    loop.add_signal_handler(signal.SIGHUP, reload)
    telling = loop.create_task(tell())
    await server.serve(sockets=[listening])
    telling.cancel()


def timed(seconds: float) -> type[H11Protocol]:
    """uvicorn's protocol, which closes connections whose request headers do not come: it has no such limit itself."""

    class Timed(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.waits = self.loop.call_later(seconds, self.close_if_waiting)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._between() and not self.waits.cancelled() and self.waits.when() < self.loop.time():
                self.waits = self.loop.call_later(seconds, self.close_if_waiting)

        def connection_lost(self, exc: Exception | None) -> None:
            self.waits.cancel()
            super().connection_lost(exc)

        def _between(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def close_if_waiting(self) -> None:
            if self._between() and not self.transport.is_closing():
                self.transport.close()

    return Timed
