"""A mechanism of one's own reaches every command and the studio: named once, before the command or in JUMOK_PLUGINS."""

import json
import shutil
from pathlib import Path

import pytest

from jumok.attention.catalog import MECHANISMS, SCORES
from jumok.cli.app import PLUGINS
from jumok.config import ENCODERS
from jumok.models.build import ENCODER_BUILDERS
from jumok.studio.runs import describe
from jumok.studio.studio import Studio
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


@pytest.fixture
def trained(jumok, forgotten, tmp_path):  # noqa: F811
    """A run whose decoder attends by the plugin."""
    keys = ["model.decoder.attention=euclid", f"plugins=[{EUCLID}]", "train.max_steps=4"]
    code, _, error = jumok("train", "--out", "run", *TINY, *keys)
    assert code == 0, error
    forgotten()
    (tmp_path / "text").write_text("The teacher reads a book.\nI go home.\n")
    return tmp_path / "run"


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
        code, _, error = jumok(*first, "train", "--out", "other", *keys, "model.encoder.cell=gru", *kinds)
        assert code == 2
        assert "model.encoder.cell belongs to model.encoder.kind=rnn" in error
        studio = Studio([tmp_path / "run"], tmp_path)
        told = describe(studio.runs, studio.runs.all()[0], None)
        studio.close()
        assert (told.state, told.encoder.kind, told.encoder.size) == ("ready", "average", 6)
        assert "averaging encoder" in (tmp_path / "run" / "README.md").read_text()
    finally:
        ENCODERS.pop("average", None)
        ENCODER_BUILDERS.pop("average", None)
    forgotten()
    code, _, error = jumok("translate", "run", "text")
    assert code == 2
    assert "jumok --plugin FILE" in error


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
