"""What `config print` and `data check` print, and what `evaluate --card` keeps, without a command."""

import json
import shutil

import pytest

from jumok.config import resolve
from jumok.errors import ConfigError
from jumok.run.names import EVALUATION
from jumok.tasks import complete
from jumok.tasks.translation.card import keep_scores
from jumok.tasks.translation.model import load
from jumok.tasks.translation.text_reports import check_text
from tests.test_cli_translate import LINES, RUN


def test_open_keys_are_chosen_and_given_ones_stay():
    given = {"data.phrasebook_size": 900, "train.batch_tokens": 700}
    config = complete(resolve({}, [f"{key}={value}" for key, value in given.items()]), set(given))
    assert config.train.batch_tokens == 700
    assert config.train.warmup != resolve().train.warmup
    with pytest.raises(ConfigError):
        complete(resolve({}, ["model.decoder.attention=none", "train.guided_alignment=0.5"]), set())


def test_a_text_is_reported_as_training_would_cut_it(tmp_path):
    (tmp_path / "a.en").write_text("one\n\ntwo\n" * 4)
    (tmp_path / "a.fr").write_text("un\ndeux\ntrois\n" * 4)
    text = {"data.source": f"{tmp_path}/a.en", "data.target": f"{tmp_path}/a.fr"}
    first, *_ = reports = check_text(
        resolve({}, [f"{key}={value}" for key, value in (text | {"data.held_out": 1}).items()])
    )
    assert sum(report.read for report in reports) == 12
    assert first.dropped
    with pytest.raises(ConfigError, match="task=bandits"):
        check_text(resolve({"task": "bandits"}))


def test_scores_are_kept_with_the_run_and_told_in_its_card(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(RUN, run)
    found = load(run).evaluate(LINES[:2], LINES[:2], beam=1)
    card = keep_scores(run, found, "two lines")
    assert json.loads((run / EVALUATION).read_text())["test_set"] == "two lines"
    assert "On two lines (2 sentences)" in card.read_text(encoding="utf-8")
