"""A real training in the background: followed, listed, scrubbed through, ended, gone on with; and the tour."""

import json
import shutil
import time
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from jumok.config import resolve
from jumok.data.phrasebook import generate
from jumok.models.build import build_model
from jumok.run.status import status_of
from jumok.studio import lesson_models
from jumok.studio.jobs import Jobs, command, describe
from jumok.studio.lesson_formulas import FORMULAS
from jumok.studio.lesson_models import MODELS, PAIR, RECIPE, recipe
from jumok.studio.lessons import LESSONS, SENTENCES, Tour, sentences
from jumok.studio.payload_views import JobRequest
from jumok.studio.runs import Runs
from tests.studio.conftest import Served

SMALL = [
    "data.phrasebook=en-fr",
    "data.phrasebook_size=100",
    "data.held_out=10",
    "model.embedding=12",
    "model.encoder.size=16",
    "model.decoder.size=16",
    "train.batch_tokens=256",
    "train.validate_every=20",
    "train.validate_size=2",
    "train.save_every=20",
    "train.snapshots=10",
    "train.log_every=5",
    "train.pictures=0",
    "train.warmup=5",
    "runtime.threads=1",
]

TRANSLATORS = [name for name, model in MODELS.items() if model.base is RECIPE]


def wait(job, until=("done", "failed", "cancelled"), seconds=240):
    """The states a job goes through until it is over."""
    seen = []
    for _ in range(seconds * 20):
        seen += [] if seen and seen[-1] == job.state else [job.state]
        if job.state in until:
            return seen
        time.sleep(0.05)
    raise AssertionError(f"the job stayed {job.state}")


@pytest.fixture(scope="module")
def trained(served: Served, tmp_path_factory):
    """A run that the studio trained, with a snapshot each ten steps."""
    folder = tmp_path_factory.mktemp("trained") / "demo"
    job = served.studio.jobs.start("demo", "demo", folder, [*SMALL, "train.max_steps=40"], 40)
    again = served.studio.jobs.start("demo", "demo", folder, SMALL, 40)
    assert again is job
    states = wait(job)
    assert states[-1] == "done", job.message
    return job


def test_a_job_trains_a_run_that_can_be_asked(served, trained):
    told = served.client.get(f"/api/v1/jobs/{trained.id}").json()["job"]
    assert (told["state"], told["progress"], told["step"]) == ("done", 1.0, 40)
    assert told["run"] == trained.run
    assert status_of(trained.folder) == "finished"
    run = next(r for r in served.client.get("/api/v1/runs").json()["runs"] if r["id"] == trained.run)
    assert [saved["step"] for saved in run["steps"]] == [10, 20, 30, 40]
    assert (run["state"], run["live"], run["step"]) == ("ready", False, 40)
    served.ask("translate", run=trained.run, text="The teacher reads a book.", beam=2)
    done = served.studio.jobs.start("demo", "demo", trained.folder, SMALL, 40)
    assert (done.state, done.run) == ("done", trained.run)


def test_metrics_are_handed_out_once(served, trained):
    path = f"/api/v1/runs/{trained.run}/metrics"
    whole = served.client.get(path).json()
    assert whole["lines"][0]["step"] == 5
    assert [line["step"] for line in whole["lines"] if "valid_loss" in line] == [20, 40]
    tail = served.client.get(path, params={"after": 3}).json()
    assert tail["lines"] == whole["lines"][3:]
    assert tail["next"] == whole["next"] == len(whole["lines"])
    assert served.client.get(path, params={"after": whole["next"]}).json()["lines"] == []
    assert served.client.get(path, params={"after": 999}).json()["reset"]


def test_the_slider_shows_the_same_pair_at_every_step(served, trained):
    example = next(iter(generate("en-fr", "train", 1)))
    answer = served.ask("learn", run=trained.run, text=example.source)
    assert [frame["step"] for frame in answer["frames"]] == [10, 20, 30, 40, None]
    assert answer["target"] == example.target
    losses = [frame["log_prob"] for frame in answer["frames"]]
    assert losses[-2] > losses[0]  # it has learned something of a sentence it has seen
    for frame in answer["frames"]:
        assert sum(frame["token_log_probs"]) == pytest.approx(frame["log_prob"], abs=1e-2)
        assert frame["alignment"]["weights"]["shape"] == [len(answer["target_words"]), len(answer["source_words"])]
        assert frame["score"] is not None
    some = served.ask("learn", run=trained.run, text=example.source, target="Le chat.", steps=[30, 10])
    assert [frame["step"] for frame in some["frames"]] == [30, 10]
    read = served.ask("translate", run=trained.run, text=example.source, target="Le chat.", step=30)["reading"]
    assert read["log_prob"] == pytest.approx(some["frames"][0]["log_prob"], abs=1e-4)
    assert read["run"]["step"] == 30
    missing = served.post("learn", run=trained.run, text=example.source, steps=[11])
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_step")


def test_a_job_is_ended_and_gone_on_with(tmp_path):
    jobs = Jobs(Runs())
    folder = tmp_path / "run"
    try:
        job = jobs.start("lesson", "x", folder, [*SMALL, "train.max_steps=100000"], 100_000)
        later = jobs.start("lesson", "y", tmp_path / "other", SMALL, 10)
        wait(job, until=("training", "failed"))
        assert job.state == "training", job.message
        assert later.state == "waiting"
        jobs.cancel(later)
        jobs.cancel(job)
        wait(job)
        assert (job.state, later.state) == ("cancelled", "cancelled")
        assert job.process is not None
        assert job.process.poll() is not None
        assert not (tmp_path / "other").exists()
        assert describe(job).step > 0
        assert "--resume" in command(job)
    finally:
        jobs.close()


@pytest.mark.parametrize(("reason", "finished"), [("time", True), ("patience", True), ("SIGTERM", False)])
def test_a_training_is_finished_when_it_came_to_its_own_end(trained, tmp_path, reason, finished):
    copy = tmp_path / "run"
    shutil.copytree(trained.folder, copy)
    lines = [{"step": 30, "event": "logged"}, {"step": 30, "event": "stopped", "reason": reason}]
    (copy / "timing.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert status_of(copy) == ("finished" if finished else "stopped")


def test_kept_frames_are_not_computed_again(served, trained, monkeypatch):
    example = next(iter(generate("en-fr", "train", 1)))
    first = served.ask("learn", run=trained.run, text=example.source)
    opened: list[int | None] = []
    really = served.studio.sessions.open
    monkeypatch.setattr(
        served.studio.sessions, "open", lambda run, step=None: (opened.append(step), really(run, step))[1]
    )
    assert served.ask("learn", run=trained.run, text=example.source) == first
    assert set(opened) <= {None}
    assert len({frame["hash"] for frame in first["frames"]}) > 3


def test_a_job_that_fails_says_why(tmp_path):
    jobs = Jobs(Runs())
    try:
        job = jobs.start("lesson", "x", tmp_path / "run", ["train.no_such_key=1"], 10)
        wait(job)
        assert job.state == "failed"
        assert "no_such_key" in describe(job).message
    finally:
        jobs.close()


def test_the_tour_is_over_models_that_can_be_built(tmp_path, monkeypatch):
    monkeypatch.setattr("jumok.studio.lessons.SHIPPED", tmp_path / "nothing")
    runs = Runs()
    tour = Tour(runs, Jobs(runs), tmp_path)
    answer = tour.answer()
    assert [lesson.id for lesson in answer.lessons] == [name for name, _ in LESSONS]
    assert len({lesson.id for lesson in answer.lessons}) == len(LESSONS)
    assert {model for _, models in LESSONS for model in models} == set(MODELS)
    assert all((model.state, model.shipped) == ("missing", False) for model in answer.models)
    known = {one.source: one for split in ("train", "test") for one in generate(PAIR, split, 400)}
    for lesson in answer.lessons:
        assert known[lesson.sentence].target == lesson.target
        assert lesson.sentence == SENTENCES.get(lesson.id, lesson.sentence)
    assert set(sentences()) == {name for name, _ in LESSONS}


def test_a_lessons_formulas_come_as_mathml(tmp_path):
    told = {lesson.id: lesson.formulas for lesson in Tour(Runs(), Jobs(Runs()), tmp_path).answer().lessons}
    assert set(FORMULAS) <= set(told)
    for name, parts in FORMULAS.items():
        assert {part: one.plain for part, one in told[name].items()} == parts
        assert all(ElementTree.fromstring(one.mathml).tag.endswith("math") for one in told[name].values())


@pytest.mark.parametrize("model", TRANSLATORS)
def test_a_lessons_model_is_what_its_name_says(model):
    config = resolve({}, recipe(MODELS[model], 1, None))
    built = build_model(config.model, 31, 37)
    expected = {"none": "none", "reversed": "none", "additive": "bahdanau", "dot": "luong-dot"}
    expected |= {"general": "luong-general", "local": "luong-local-p", "hard": "hard"}
    expected |= {"one-head": "transformer", "transformer": "transformer"}
    assert config.model.decoder.attention == expected[model]
    assert config.model.reverse_source == (model == "reversed")
    assert sum(parameter.numel() for parameter in built.parameters()) < 300_000


def test_a_model_that_is_trained_here_takes_the_place_of_the_shipped_one(tmp_path, monkeypatch, trained):
    shipped = tmp_path / "shipped"
    for model in MODELS:
        shutil.copytree(trained.folder, shipped / model)
    monkeypatch.setattr("jumok.studio.lessons.SHIPPED", shipped)
    monkeypatch.setattr("jumok.studio.lesson_models.SHIPPED", shipped)
    runs = Runs()
    tour = Tour(runs, Jobs(runs), tmp_path / "home")
    tour.remember()
    assert len(runs.all()) == len(MODELS)
    before = {model.id: model for model in tour.answer().models}
    assert all((model.state, model.shipped) == ("ready", True) for model in before.values())
    shutil.copytree(trained.folder, tour.own("dot"))
    after = {model.id: model for model in tour.answer().models}
    assert not after["dot"].shipped
    assert runs.get(after["dot"].run or "").folder == tour.own("dot")
    assert after["general"] == before["general"]


def test_a_model_that_starts_from_another_is_trained_from_it(tmp_path, monkeypatch, trained):
    monkeypatch.setattr("jumok.studio.lessons.SHIPPED", tmp_path)
    shutil.copytree(trained.folder, tmp_path / "additive")
    tour = Tour(Runs(), Jobs(Runs()), tmp_path / "home")
    asked = []
    monkeypatch.setattr(tour.jobs, "start", lambda *all_of: asked.append(all_of))
    tour.train(JobRequest(kind="lesson", model="hard"))
    ((_, _, folder, overrides, _),) = asked
    assert folder == tour.own("hard")
    assert f"train.init_from={tmp_path / 'additive'}" in overrides


def test_what_is_shipped_is_trained_and_halved(tmp_path, monkeypatch):
    for name in ("additive", "hard"):
        small = replace(MODELS[name], base=(*SMALL, "train.max_steps=4"))
        monkeypatch.setitem(MODELS, name, small)
    lesson_models.make(["additive"], tmp_path)
    lesson_models.make(["additive", "hard"], tmp_path)
    for name in ("additive", "hard"):
        found = {path.name for path in (tmp_path / name).iterdir()}
        assert found == {"config.json", "model.safetensors", "manifest.json", "tokenizer.json", "source.vocab",
                         "target.vocab", "metrics.jsonl"}  # fmt: skip
        assert str(tmp_path) not in (tmp_path / name / "config.json").read_text()
    assert json.loads((tmp_path / "hard" / "config.json").read_text())["train"]["init_from"] == "additive"
