"""`jumok serve`: trained runs behind an address."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import MOST_THREADS, check_finite
from jumok.cli.telling import tell
from jumok.errors import ConfigError, InputError

NEEDED = {"fastapi": "fastapi", "uvicorn": "uvicorn", "httptools": "httptools", "uvloop": "uvloop",
          "multipart": "python-multipart", "prometheus_client": "prometheus-client",
          "sentencex": "sentencex"}  # fmt: skip


def serve(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN …", help="Run folders to serve.")] = None,
    host: Annotated[
        str, typer.Option(help="Host to listen on; other than this machine, --keys is required.")
    ] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 8690 if free.")] = None,
    workers: Annotated[
        int, typer.Option(min=0, max=MOST_THREADS, help="Processes that translate; 0: one per core.")
    ] = 0,
    engine: Annotated[str, typer.Option(help="auto, torch, fast or ctranslate2.")] = "auto",
    precision: Annotated[str, typer.Option(help="float32 or int8 (quick engines).")] = "float32",
    shortlist: Annotated[bool, typer.Option(help="Score only likely words (jumok shortlist).")] = False,
    keys: Annotated[Path | None, typer.Option(help="File with hashed keys; then every request needs one.")] = None,
    new_key: Annotated[str | None, typer.Option(help="Add a key of this name to --keys, print it and exit.")] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Host name that a proxy passes on; may be repeated.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="Origin of a web page that may ask; may be repeated.")
    ] = None,
    root_path: Annotated[str, typer.Option(help="Path under which a proxy offers the server.")] = "",
    trusted_proxy: Annotated[
        list[str] | None, typer.Option(help="Address of a proxy to believe; may be repeated.")
    ] = None,
    log_text: Annotated[bool, typer.Option(help="Write what is translated to the log; without it no text is.")] = False,
    deadline: Annotated[float, typer.Option(help="Seconds until a request must be answered.")] = 30.0,
    queue: Annotated[int, typer.Option(min=1, max=1_000_000, help="Sentences that may wait; more get 429.")] = 2048,
    batch: Annotated[int, typer.Option(min=1, max=1024, help="Sentences translated together.")] = 128,
) -> None:
    """Serve trained runs over HTTP: our own API, LibreTranslate's, OpenNMT-py's and DeepL's shape."""
    check_finite("--deadline", deadline, 0.1, 3600)
    missing = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise ConfigError(f"The server needs {' and '.join(missing)}; install them with: pip install 'jumok[serve]'.")
    if new_key is not None:
        make_key(keys, new_key)
        return
    if not runs:
        raise InputError("Name at least one run folder to serve.")
    from jumok.server.limits import Limits
    from jumok.server.serving import Serving, serve
    from jumok.server.worker import Loading

    plugins = tuple(path for path in os.environ.get("JUMOK_PLUGINS", "").split(os.pathsep) if path)
    serving = Serving(
        runs, host, port, workers or os.cpu_count() or 1, Loading({}, engine, precision, shortlist, plugins),
        Limits(deadline=deadline, queue=queue, batch=batch), keys, tuple(allow_host or ()),
        tuple(allow_origin or ()), root_path, tuple(trusted_proxy or ()), log_text,
    )  # fmt: skip
    serve(serving, say)


def make_key(keys: Path | None, name: str) -> None:
    """Prints a new key; only its hash is kept."""
    from jumok.server.keys import new_key

    if keys is None:
        raise InputError("Name the file that keeps the hash with --keys.")
    typer.echo(new_key(keys, name))


def say(address: str) -> None:
    """Tells where the server is, once it takes requests."""
    tell(f"Serving at {address}  (press Ctrl-C to stop)")
    typer.echo(address)
    sys.stdout.flush()
