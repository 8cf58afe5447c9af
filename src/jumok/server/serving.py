"""`jumok serve`: a socket, one server process, its workers, and signals."""

import asyncio
import gc
import resource
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
import uvloop

from jumok.asgi.hosts import is_loopback, listen
from jumok.errors import ConfigError
from jumok.server.app import create_app
from jumok.server.door import Door
from jumok.server.guard import Access
from jumok.server.keys import Keyring, read_keys
from jumok.server.limits import Limits
from jumok.server.protocol import timed
from jumok.server.service import Service
from jumok.server.worker import Loading

PORT = 8690
ACCEPTED = 32
"""Connections taken in a turn of the event loop. It takes one from each listening socket, so the same one is listened
to that often: with once, the last of a crowd of new connections was heard seconds late."""


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
    log_text: bool = False

    def access(self) -> Access:
        """Who is let in; beyond this machine nobody without a key."""
        if not is_loopback(self.host) and self.keys is None:
            raise ConfigError(f"{self.host} can be reached from other machines: name a key file with --keys.")
        keys = None if self.keys is None else Keyring(read_keys(self.keys, self.limits.rate))
        if keys is not None and not keys.keys:
            raise ConfigError(
                f"{self.keys} has no keys; make one with `jumok serve --new-key NAME --keys {self.keys}`."
            )
        names, root = frozenset(name.lower() for name in self.hosts), "/" + self.root_path.strip("/")
        return Access(self.host, names, frozenset(self.origins), keys, self.log_text, "" if root == "/" else root)


def serve(serving: Serving, say: Callable[[str], None] = print) -> None:
    """Serves until SIGTERM or Ctrl-C: what is under way is answered first. SIGHUP loads the runs again."""
    access = serving.access()
    raise_open_files()
    listening = listen(serving.host, [serving.port] if serving.port is not None else [PORT, 0], "The server")
    try:
        service = Service(serving.runs, serving.loading, serving.workers, serving.limits)
        server = uvicorn.Server(configured(serving, service, access))
        gc.freeze()  # modules and models are not looked through again: that would hold the event loop
        shown = f"[{serving.host}]" if ":" in serving.host else serving.host
        uvloop.run(_run(server, service, listening, lambda: say(f"http://{shown}:{listening.getsockname()[1]}")))
    finally:
        listening.close()


def configured(serving: Serving, service: Service, access: Access) -> uvicorn.Config:
    """How uvicorn runs the application."""
    app = create_app(service, access)
    return uvicorn.Config(
        app,
        http=timed(serving.limits.body_seconds, Door(app)),
        log_level="error",
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

    async def tell() -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        say()

    # uvicorn answers what is under way and then raises the signal again, which would look like a failure.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    loop.add_signal_handler(signal.SIGHUP, service.reload_soon)
    telling = loop.create_task(tell())
    await server.serve(sockets=[listening, *(listening.dup() for _ in range(ACCEPTED - 1))])
    telling.cancel()


def raise_open_files(wanted: int = 16_384) -> None:
    """Lets the process have as many connections as the system allows it: stalled ones must not keep others out."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
