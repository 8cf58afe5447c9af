"""Starting the studio: a socket, an address to open, and one server process."""

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from urllib.parse import urlencode

import uvicorn

from jumok.errors import ConfigError
from jumok.studio.app import create_app
from jumok.studio.security import Door
from jumok.studio.studio import Studio

PORT = 8675


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on that host; without a port the studio's own, or any free one if that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in [port] if port is not None else [PORT, 0]:
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, candidate))
            listening.listen(64)
            return listening
        except (OSError, OverflowError) as error:
            listening.close()
            reason = getattr(error, "strerror", None) or str(error)
            if port is not None or candidate == 0:
                raise ConfigError(f"The studio cannot listen on {host}:{candidate}: {reason}; name another.") from None
    raise AssertionError("unreachable")


def address(host: str, port: int, token: str | None, lang: str | None) -> str:
    """What to open in a browser."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    query = {key: value for key, value in (("token", token), ("lang", lang)) if value}
    return f"http://{shown}:{port}/" + (f"?{urlencode(query)}" if query else "")


def serve(
    studio: Studio,
    host: str,
    port: int | None,
    lang: str | None,
    say: Callable[[str], None],
    open_page: bool,
) -> None:
    """Serves until a signal; the studio's own jobs end with it."""
    listening = listen(host, port)
    door = Door.for_host(host, listening.getsockname()[1])
    config = uvicorn.Config(
        create_app(studio, door),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=200,
    )
    server = uvicorn.Server(config)
    where = address(host, listening.getsockname()[1], door.token, lang)
    say(where)
    if open_page:
        threading.Thread(target=_open_when_ready, args=(server, where), daemon=True).start()
    try:
        server.run(sockets=[listening])
    finally:
        studio.close()
        listening.close()


def _open_when_ready(server: uvicorn.Server, where: str) -> None:
    for _ in range(200):
        if server.started:
            webbrowser.open(where)
            return
        time.sleep(0.05)
