"""A mechanism of one's own reaches every command and the studio: named once, before the command or in JUMOK_PLUGINS."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from jumok.attention.catalog import MECHANISMS, SCORES
from jumok.cli.app import PLUGINS
from jumok.commands import COMMANDS as OWN_COMMANDS
from jumok.config import CONFIGS, ENCODERS, FRONTENDS, HEADS
from jumok.data.images import png_bytes
from jumok.data.picturebook import draw, generate
from jumok.models.build import ENCODER_BUILDERS, FRONTEND_BUILDERS, HEAD_BUILDERS
from jumok.studio.app import create_app
from jumok.studio.runs import describe
from jumok.studio.security import AccessPolicy
from jumok.studio.studio import Studio
from jumok.tasks import TASKS, load
from tests.tasks.test_captioning import TINY as CAPTIONING
from tests.test_cli_train import TINY, jumok  # noqa: F401

EUCLID = Path(__file__).parents[1] / "docs" / "examples" / "euclid.py"


@pytest.fixture
def forgotten(monkeypatch):
    """Forgets the plugin, as a new process would."""

    def forget() -> None:
        SCORES.pop("euclid", None)
        MECHANISMS.pop("euclid", None)
        monkeypatch.delenv(PLUGINS, raising=False)

    monkeypatch.setenv(PLUGINS, "")
    forget()
    yield forget
    forget()


def explains(jumok, first) -> None:  # noqa: F811
    """The numbers behind a word of a translation, which begin with the scores."""
    code, out, error = jumok(*first, "translate", "run", "text", "--explain", "0", "--min-length", "2")
    assert code == 0, error
    assert all(told in out for told in ("scores e_i", "context c =", "log p =")), out


def shows_in_the_studio(run: Path) -> None:
    """A translation, its attention and what one step computed, as the page asks for them."""
    studio = Studio([run])
    policy = AccessPolicy.for_host("127.0.0.1", None)
    try:
        with TestClient(create_app(studio, policy), base_url="http://127.0.0.1:8000") as client:
            asked = {"run": studio.runs.all()[0].id, "text": "The teacher reads a book."}
            answer = client.post("/api/v1/translate", json=asked)
            assert answer.status_code == 200, answer.text
            assert answer.json()["reading"]["alignment"]["weights"]["data"]
    finally:
        studio.close()


@pytest.fixture
def trained(jumok, forgotten, tmp_path):  # noqa: F811
    """A run whose decoder attends by the plugin."""
    keys = ["model.decoder.attention=euclid", f"plugins=[{EUCLID}]", "train.max_steps=4"]
    code, _, error = jumok("train", "--out", "run", *TINY, *keys)
    assert code == 0, error
    forgotten()
    (tmp_path / "text").write_text("The teacher reads a book.\nI go home.\n")
    return tmp_path / "run"


@pytest.mark.slow
def test_a_score_of_ones_own_attends_inside_a_transformer_everywhere(jumok, forgotten, tmp_path):  # noqa: F811
    """It is trained, searched with a cache that agrees with the whole pass, explained, and shown in the studio."""
    (tmp_path / "text").write_text("The teacher reads a book.\n")
    first = ["--plugin", str(EUCLID)]
    keys = [key for key in TINY if "model." not in key]
    sides = [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("layers=1", "size=8", "heads=2")]
    own = ["model.preset=transformer", "model.encoder.attention=euclid", "model.decoder.self_attention=euclid"]
    code, _, error = jumok(*first, "train", "--out", "run", *keys, *own, *sides, "train.max_steps=2")
    assert code == 0, error
    code, out, error = jumok(*first, "translate", "run", "text", "--json", "--attention", "--min-length", "2")
    assert code == 0, error
    found = json.loads(out)
    assert all(np.shape(found["attention"][side])[:2] == (1, 2) for side in ("encoder", "decoder"))
    model = load(tmp_path / "run")
    assert model.score([(found["source"], found["text"])])[0].log_prob == pytest.approx(found["log_prob"], abs=1e-4)
    explains(jumok, first)
    shows_in_the_studio(tmp_path / "run")


AVERAGE = Path(__file__).parents[1] / "docs" / "examples" / "average_encoder.py"


@pytest.mark.slow
def test_an_encoder_of_ones_own_is_trained_translates_and_is_shown(jumok, forgotten, tmp_path):  # noqa: F811
    (tmp_path / "text").write_text("The teacher reads a book.\n")
    first = ["--plugin", str(AVERAGE)]
    keys = [key for key in TINY if "encoder" not in key]
    kinds = ["model.encoder.kind=average", "model.encoder.size=6", "model.encoder.tanh=false", "train.max_steps=2"]
    try:
        code, _, error = jumok(*first, "train", "--out", "run", *keys, *kinds)
        assert code == 0, error
        code, out, error = jumok(*first, "translate", "run", "text", "--json", "--attention")
        assert code == 0, error
        assert json.loads(out)["attention"]["cross"]
        explains(jumok, first)
        code, _, error = jumok(*first, "train", "--out", "other", *keys, "model.encoder.cell=gru", *kinds)
        assert code == 2
        assert "model.encoder.cell belongs to model.encoder.kind=rnn" in error
        studio = Studio([tmp_path / "run"], tmp_path)
        told = describe(studio.runs, studio.runs.all()[0], None)
        studio.close()
        assert (told.state, told.encoder.kind, told.encoder.size) == ("ready", "average", 6)
        shows_in_the_studio(tmp_path / "run")
        assert "averaging encoder" in (tmp_path / "run" / "README.md").read_text()
    finally:
        ENCODERS.pop("average", None)
        ENCODER_BUILDERS.pop("average", None)
    forgotten()
    code, _, error = jumok("translate", "run", "text")
    assert code == 2
    assert "jumok --plugin FILE" in error


COLOURS = Path(__file__).parents[1] / "docs" / "examples" / "colours_frontend.py"


def test_a_frontend_of_ones_own_is_trained_describes_a_picture_and_is_shown(jumok, forgotten, tmp_path):  # noqa: F811
    scene = next(generate("test", 1))
    (tmp_path / "scene.png").write_bytes(png_bytes(next(iter(draw([scene])))))
    tiny = [f"{key}={value}" for key, value in CAPTIONING.items() if not key.startswith("model.frontend.")]
    keys = [*tiny, "model.frontend.kind=colours", "model.frontend.cell=16", "train.max_steps=2"]
    first = ["--plugin", str(COLOURS)]
    try:
        code, _, error = jumok(*first, "train", "--out", "run", *keys)
        assert code == 0, error
        code, out, error = jumok(*first, "caption", "run", "scene.png", "--json", "--attention", "--min-length", "2")
        assert code == 0, error
        assert len(json.loads(out)["attention"]["cross"][0][0][0]) == 4 * 4
        code, _, error = jumok(*first, "train", "--resume", "run", "train.max_steps=3")
        assert code == 0, error
        studio = Studio([tmp_path / "run"])
        told = describe(studio.runs, studio.runs.all()[0], None)
        studio.close()
        assert told.state == "ready"
    finally:
        FRONTENDS.pop("colours", None)
        FRONTEND_BUILDERS.pop("colours", None)
    forgotten()
    code, _, error = jumok("train", "--out", "other", *tiny, "model.frontend.kind=colours")
    assert code == 2
    assert "Unknown model.frontend.kind 'colours'" in error


MIXTURE = Path(__file__).parents[1] / "docs" / "examples" / "mixture_head.py"


@pytest.mark.slow
def test_a_head_of_ones_own_is_trained_translates_scores_and_is_shown(jumok, forgotten, tmp_path):  # noqa: F811
    (tmp_path / "text").write_text("The teacher reads a book.\n")
    (tmp_path / "target").write_text("선생님은 책을 읽어요.\n")
    first = ["--plugin", str(MIXTURE)]
    keys = ["model.head.kind=mixture", "model.head.parts=3", "train.max_steps=2", "train.label_smoothing=0.1"]
    try:
        code, _, error = jumok(*first, "train", "--out", "run", *TINY, *keys)
        assert code == 0, error
        code, out, error = jumok(*first, "translate", "run", "text", "--json", "--attention", "--beam", "3")
        assert code == 0, error
        assert json.loads(out)["attention"]["cross"]
        for command in (["score", "run", "text", "target"], ["align", "run", "text", "target"]):
            code, _, error = jumok(*first, *command)
            assert code == 0, error
        explains(jumok, first)
        shows_in_the_studio(tmp_path / "run")
        code, _, error = jumok(*first, "train", "--resume", "run", "train.max_steps=3")
        assert code == 0, error
        code, _, error = jumok(*first, "translate", "run", "text", "--engine", "fast")
        assert code != 0
        studio = Studio([tmp_path / "run"], tmp_path)
        told = describe(studio.runs, studio.runs.all()[0], None)
        studio.close()
        assert told.state == "ready"
        assert "| head | mixture |" in (tmp_path / "run" / "README.md").read_text()
    finally:
        HEADS.pop("mixture", None)
        HEAD_BUILDERS.pop("mixture", None)
    forgotten()
    code, _, error = jumok("train", "--out", "other", *TINY, "model.head.kind=mixture", "train.max_steps=1")
    assert code == 2
    assert "Unknown model.head.kind 'mixture'" in error


CURVE = Path(__file__).parents[1] / "docs" / "examples" / "curve_task.py"
CURVE_KEYS = ["task=curve", "train.learning_rate=0.02", "train.warmup=5", "train.schedule=constant"]
OFTEN = ["train.validate_every=40", "train.save_every=40", "train.log_every=10", "runtime.threads=1"]


@pytest.mark.slow
def test_a_task_of_ones_own_is_trained_resumed_exactly_and_used(jumok, forgotten, tmp_path):  # noqa: F811
    first = ["--plugin", str(CURVE)]
    try:
        code, _, error = jumok(*first, "train", "--out", "whole", *CURVE_KEYS, *OFTEN, "train.max_steps=120")
        assert code == 0, error
        code, _, error = jumok(*first, "train", "--out", "parts", *CURVE_KEYS, *OFTEN, "train.max_steps=40")
        assert code == 0, error
        code, _, error = jumok(*first, "train", "--resume", "parts", "train.max_steps=120")
        assert code == 0, error
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        assert (whole / "model.safetensors").read_bytes() == (parts / "model.safetensors").read_bytes()
        assert (whole / "metrics.jsonl").read_text() == (parts / "metrics.jsonl").read_text()
        code, _, error = jumok("run", "verify", "whole")
        assert code == 0, error
        estimates, weights = load(whole).estimate([1.0, 4.0])
        assert np.abs(estimates - (2 * np.sin([1.0, 4.0]) + np.abs([1.0, 4.0]) ** 0.8)).max() < 0.5
        assert np.allclose(weights.sum(1), 1, atol=1e-5)
        studio = Studio([whole])
        with TestClient(
            create_app(studio, AccessPolicy.for_host("127.0.0.1", None)), base_url="http://127.0.0.1:8000"
        ) as page:
            told = page.get("/api/v1/runs").json()["runs"][0]
            assert (told["task"], told["state"]) == ("curve", "ready")
            asked = {"run": told["id"], "text": "I go home."}
            assert "task=curve" in page.post("/api/v1/translate", json=asked).text  # refused by its name
        studio.close()
        code, _, error = jumok("translate", "whole", str(CURVE))
        assert (code, "task=curve, which does not translate" in error) == (2, True)
        code, _, error = jumok(*first, "train", "--out", "other", *CURVE_KEYS, "model.encoder.cell=gru")
        assert (code, "belongs to task=translation" in error) == (2, True)
    finally:
        CONFIGS.pop("curve", None)
        TASKS.pop("curve", None)
    forgotten()
    code, _, error = jumok("train", "--out", "other", *CURVE_KEYS)
    assert (code, "Unknown task 'curve'" in error) == (2, True)


DOUBTS = Path(__file__).parents[1] / "docs" / "examples" / "doubts_command.py"
GOLDEN_RUN = Path(__file__).parent / "golden" / "rnnsearch-1"


@pytest.mark.slow
def test_a_command_of_ones_own_is_found_helped_and_run(jumok, forgotten, tmp_path):  # noqa: F811
    (tmp_path / "text").write_text("The teacher reads a book .\nI sleep .\nWho sleeps ?\n")
    first = ["--plugin", str(DOUBTS)]
    try:
        code, out, error = jumok(*first, "doubts", str(GOLDEN_RUN), "text", "--count", "2")
        assert code == 0, error
        rows = [line.split("\t") for line in out.splitlines()]
        assert [len(row) for row in rows] == [3, 3]
        assert float(rows[0][0]) <= float(rows[1][0]) < 0
        code, out, _ = jumok(*first, "doubts", "--help")
        assert (code, "least likely" in out) == (0, True)
        code, _, error = jumok(*first, "doubts", str(GOLDEN_RUN), "text", "--count", "0")
        assert code == 2
    finally:
        OWN_COMMANDS.pop("doubts", None)
    forgotten()
    code, _, error = jumok("doubts", str(GOLDEN_RUN), "text")
    assert code == 2


COMMANDS = [
    ["translate", "run", "text"],
    ["translate", "run", "text", "--json", "--attention"],
    ["align", "run", "text", "text"],
    ["score", "run", "text", "text"],
    ["evaluate", "run", "--size", "5", "--quick"],
    ["average", "run", "twin", "--out", "mean"],
    ["card", "run"],
    ["shortlist", "run"],
    ["run", "verify", "run"],
    ["explain", "euclid"],
    ["train", "--resume", "run", "train.max_steps=5"],
]


@pytest.mark.slow
def test_every_command_takes_a_plugin(jumok, trained, forgotten, tmp_path):  # noqa: F811
    shutil.copytree(trained, tmp_path / "twin")
    for command in COMMANDS:
        code, _, error = jumok("--plugin", str(EUCLID), *command)
        assert code == 0, f"{command}: {error}"
        forgotten()


@pytest.mark.slow
def test_a_run_does_not_execute_the_plugin_it_names(jumok, trained):  # noqa: F811
    code, _, error = jumok("translate", str(trained), "text")
    assert code == 2
    assert "euclid" in error
    assert "euclid" not in MECHANISMS


@pytest.mark.slow
def test_the_environment_names_plugins_too_and_the_studio_shows_the_run(jumok, trained, monkeypatch):  # noqa: F811
    monkeypatch.setenv(PLUGINS, str(EUCLID))
    code, out, _ = jumok("mechanisms", "--json")
    assert code == 0
    assert "euclid" in {row["name"] for row in json.loads(out)}
    studio = Studio([trained], trained.parent)
    try:
        told = describe(studio.runs, studio.runs.all()[0], None)
        assert (told.state, told.mechanism.name) == ("ready", "euclid")
    finally:
        studio.close()
    explains(jumok, [])
    shows_in_the_studio(trained)
