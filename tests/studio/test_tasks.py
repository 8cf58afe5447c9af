"""Runs of any task in the studio: listed as what they are, opened as their task does, and never taken for text."""

import httpx
import pytest

import jumok
from jumok.data.glyphbook import draw
from jumok.studio.problems import RefusedError
from jumok.studio.studio import Studio
from tests.studio.conftest import TRAINED, start
from tests.tasks.test_few_shot import TINY


@pytest.fixture(scope="module")
def studio(folders, tmp_path_factory):
    """A studio with a run of few-shot classification beside one that translates."""
    place = tmp_path_factory.mktemp("tasks")
    jumok.train(TINY, out=place / "named")
    opened = Studio([place / "named", folders[TRAINED[0]]], place / "home")
    yield opened
    opened.close()


def test_runs_say_their_task_and_what_they_have(studio):
    server, thread, access = start(studio)
    url = f"http://127.0.0.1:{access.port}/api/v1"
    try:
        runs = {run["id"]: run for run in httpx.get(f"{url}/runs", timeout=60).json()["runs"]}
        named, text = runs["named"], runs[TRAINED[0]]
        assert (named["task"], named["state"], named["message"]) == ("few-shot", "ready", "")
        assert text["task"] == "translation"
        assert named["parameters"] > 0
        assert named["preset"] == "snail"
        assert [one["step"] for one in named["steps"]] == [3, 6]
        assert "accuracy" in [one["name"] for one in named["scores"]]
        assert [named[key] for key in ("encoder", "decoder", "mechanism", "pair", "source_language")] == [None] * 5
        refused = httpx.post(f"{url}/translate", json={"run": "named", "text": "I read a book"}, timeout=60)
        assert refused.status_code == 409
        assert "task=few-shot" in refused.json()["error"]["message"]
    finally:
        server.should_exit = True
        thread.join(10)


def test_a_run_is_opened_as_its_task_does(studio):
    run = studio.runs.get("named")
    best, first, last = (studio.sessions.open_model(run, "few-shot", step) for step in (None, 3, 6))
    support = [(str(number), draw(1, number, 0, 16)) for number in range(3)]
    query = draw(1, 0, 1, 16)
    asked = [one.classify(support, query)[0].probabilities for one in (best.model, first.model, last.model)]
    assert asked[0] == jumok.load(run.folder).classify(support, query)[0].probabilities
    assert asked[1] != asked[2]
    assert best.ref.hash == studio.runs.hash(run)
    assert first.ref.hash != last.ref.hash
    assert studio.sessions.open_model(run, "few-shot") is best
    with pytest.raises(RefusedError, match="task=few-shot") as error:
        studio.sessions.open_model(run, "captioning")
    assert (error.value.status, error.value.code) == (409, "other_task")
