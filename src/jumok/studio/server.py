"""Starting the studio: a socket, an address to open, and one server process."""

import threading
import time
import webbrowser
from collections.abc import Callable
from urllib.parse import urlencode

import uvicorn

from jumok.asgi.hosts import listen
from jumok.studio.app import create_app
from jumok.studio.security import AccessPolicy
from jumok.studio.studio import Studio

PORT = 8675


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
    """Serves until a signal; the studio's own jobs end with it.

    studio      the studio and its runs
    host        where to listen; on other hosts than this machine a token is required
    port        where to listen; a free one if None
    lang        language of the page, ko or en; the browser's if None
    say         called with the address, once it takes requests
    open_page   open the page in a browser
    """
    listening = listen(host, [PORT, 0] if port is None else [port], "The studio")
    access = AccessPolicy.for_host(host, listening.getsockname()[1])
    config = uvicorn.Config(
        create_app(studio, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=200,
    )
    server = uvicorn.Server(config)
    where = address(host, listening.getsockname()[1], access.token, lang)
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
