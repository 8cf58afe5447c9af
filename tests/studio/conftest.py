"""A real server on a real socket, over small trained models and one run of every kind."""

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn

from jumok.data.phrasebook import Example, generate
from jumok.studio.app import create_app
from jumok.studio.security import AccessPolicy
from jumok.studio.sessions import Session
from jumok.studio.studio import Studio
from tests.decoding.tiny_run import make_run

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = {
    "none": ("model.preset=seq2seq",),
    "luong": ("model.preset=luong",),
    "local": ("model.preset=luong", "model.decoder.attention=luong-local-p", "model.decoder.attention_options.D=2"),
    "hard": ("model.decoder.attention=hard",),
    "coverage": ("model.decoder.attention=coverage",),
    "heads": ("model.preset=transformer", "model.encoder.layers=2", "model.decoder.layers=2"),
    "bare": ("model.preset=transformer", "model.decoder.attention=none"),
}
TRAINED = ("rnnsearch-1", "transformer-1")
ATTENDING = (*TRAINED, "luong", "local", "hard", "coverage", "heads")


@dataclass(frozen=True)
class Served:
    """A running studio and a client for it."""

    studio: Studio
    client: httpx.Client
    url: str
    port: int

    def post(self, path: str, **body: object) -> httpx.Response:
        """A request of the contract."""
        return self.client.post(f"/api/v1/{path}", json=body)

    def ask(self, path: str, **body: object) -> dict:
        """The answer, which must be a good one."""
        answer = self.post(path, **body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def session(self, run: str, step: int | None = None) -> Session:
        """The model behind a run."""
        return self.studio.sessions.open(self.studio.runs.get(run), step)


def start(studio: Studio, host: str = "127.0.0.1", static: Path | None = None):
    """A server in a thread; gives (server, thread, access)."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(16)
    access = AccessPolicy.for_host(host, listening.getsockname()[1])
    app = create_app(studio, access) if static is None else create_app(studio, access, static)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", server_header=False))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    return server, thread, access


@contextmanager
def serving(studio: Studio, host: str = "127.0.0.1", static: Path | None = None) -> Iterator[AccessPolicy]:
    """A server of the studio for as long as the block lasts; then the studio is closed too."""
    server, thread, access = start(studio, host, static)
    try:
        yield access
    finally:
        server.should_exit = True
        thread.join(10)
        studio.close()


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> dict[str, Path]:
    """Two golden runs that were really trained, and a run of random weights for each other kind."""
    place = tmp_path_factory.mktemp("studio")
    found = {}
    for name in TRAINED:
        found[name] = place / name
        shutil.copytree(GOLDEN / name, found[name])
    for name, overrides in KINDS.items():
        found[name] = make_run(place / name, *overrides, "data.max_length=11")
    return found


@pytest.fixture(scope="session")
def served(folders, tmp_path_factory):
    """The studio of all those runs, behind a socket."""
    studio = Studio(list(folders.values()), tmp_path_factory.mktemp("home"))
    server, thread, access = start(studio)
    url = f"http://127.0.0.1:{access.port}"
    with httpx.Client(base_url=url, timeout=60) as client:
        found = Served(studio, client, url, access.port)
        for name in folders:  # in float64: what the page shows does not depend on the type
            found.session(name).run.model.double()
        yield found
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def example() -> Example:
    """A short sentence of the phrasebook that the golden runs' language pair knows."""
    return next(one for one in generate("en-fr", "test", 200) if 5 <= len(one.source.split()) <= 7)
