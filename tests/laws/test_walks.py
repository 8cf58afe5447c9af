"""How many functions a training step, a translation and a studio request pass through; drawn in docs/architecture.md.

A hop is a function or method of the package that is under way when the walk arrives, the last one included: what
torch, typer or the standard library put between them is not counted, nor what has returned before.
"""

import inspect
from collections.abc import Iterator

import pytest
import torch
from fastapi.testclient import TestClient

import jumok.decoding.torch_engine
import jumok.inspect.inspector
from jumok.engine.search import FastSearcher
from jumok.models.seq2seq import Seq2Seq
from jumok.studio.app import create_app
from jumok.studio.security import AccessPolicy
from jumok.studio.studio import Studio
from tests.test_cli_train import TINY
from tests.test_cli_translate import LINES, RUN

MOST_HOPS, MOST_HOPS_OF_TRAINING = 12, 14


def hops() -> list[str]:
    """The package's functions that are under way, the outermost first, as `room/file.py function`."""
    frames = [(one.filename.partition("/src/jumok/")[2], one.function) for one in inspect.stack(0)]
    return [f"{file} {function}" for file, function in reversed(frames) if file]


def noting(monkeypatch, owner, name: str) -> list[list[str]]:
    """Every walk into the named function, which does its work as before."""
    function, walked = getattr(owner, name), []

    def noted(*given, **choices):
        walked.append([*hops(), name])
        return function(*given, **choices)

    monkeypatch.setattr(owner, name, noted)
    return walked


@pytest.fixture
def own_settings() -> Iterator[None]:
    """What training sets in torch is as before after it."""
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(deterministic)


@pytest.mark.usefixtures("own_settings")
def test_from_the_command_to_the_model_that_learns(tmp_path, monkeypatch, call):
    """One process with one thread: where several share a batch, each of them walks the last hops by itself."""
    walked = noting(monkeypatch, Seq2Seq, "decode")
    code, _, error = call("train", *TINY, "train.max_steps=4", "--out", tmp_path / "run")
    assert code == 0, error
    steps = [walk for walk in walked if "training/learner.py step" in walk]
    assert len(steps) == 4
    for walk in steps:
        rooms = [hop.partition("/")[0] for hop in walk]
        assert len(walk) <= MOST_HOPS_OF_TRAINING, walk
        # No hop goes back up into a command.
        assert "cli" not in rooms[rooms.index("tasks") :], walk


@pytest.mark.parametrize(
    ("engine", "owner", "name"),
    [("fast", FastSearcher, "search"), ("torch", jumok.decoding.torch_engine, "beam_search")],
)
def test_from_the_command_to_the_search(engine, owner, name, tmp_path, monkeypatch, call):
    walked = noting(monkeypatch, owner, name)
    text = tmp_path / "in.txt"
    text.write_text(LINES[0] + "\n", encoding="utf-8")
    asked = ("--beam", 5, "--attention", "--json", "--workers", 1, "--engine", engine)
    code, out, _ = call("translate", RUN, text, *asked)
    assert code == 0
    assert '"attention"' in out
    assert len(walked) == 1
    rooms = [hop.partition("/")[0] for hop in walked[0]]
    assert len(rooms) <= MOST_HOPS, walked[0]
    assert "cli" in rooms
    # No hop goes back up into a command.
    assert "cli" not in rooms[rooms.index("decoding") :], walked[0]


def test_from_the_studio_route_to_the_search(monkeypatch):
    """The server's thread hands a request over to a worker; the walk is both parts, one after the other."""
    served, worked = noting(monkeypatch, Studio, "work"), noting(monkeypatch, jumok.inspect.inspector, "beam_search")
    encoded = noting(monkeypatch, Seq2Seq, "encode")
    studio = Studio([RUN])
    try:
        with TestClient(
            create_app(studio, AccessPolicy.for_host("127.0.0.1", None)), base_url="http://127.0.0.1:8000"
        ) as client:
            asked = {"run": studio.runs.all()[0].id, "text": LINES[0], "beam": 5}
            answer = client.post("/api/v1/translate", json=asked)
    finally:
        studio.close()
    assert answer.status_code == 200, answer.text
    assert len(encoded) == 1
    walk = [*served[0], *worked[0]]
    assert len(walk) <= MOST_HOPS, walk
    assert not any(hop.startswith("cli/") for hop in walk)
