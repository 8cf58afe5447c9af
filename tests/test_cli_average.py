"""`jumok average`: the mean of runs of one model, and nothing else."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import jumok
from jumok.cli.average import average
from jumok.errors import InputError

GOLDEN = Path(__file__).parent / "golden"
RUN = GOLDEN / "transformer-1"


@pytest.fixture
def moved(tmp_path):
    """The golden run with every weight moved by a little."""
    run = tmp_path / "moved"
    shutil.copytree(RUN, run)
    weights = load_file(run / "model.safetensors")
    drawn = torch.Generator().manual_seed(1)
    save_file(
        {name: value + 0.01 * torch.randn(value.shape, generator=drawn) for name, value in weights.items()},
        run / "model.safetensors",
        metadata={"format": "pt"},
    )
    return run


def test_the_weights_are_the_mean_and_the_run_translates(moved, tmp_path, capsys):
    out = tmp_path / "mean"
    average([RUN, moved], out)
    assert capsys.readouterr().out.strip() == str(out)
    one, other, mean = (load_file(run / "model.safetensors") for run in (RUN, moved, out))
    for name, value in mean.items():
        torch.testing.assert_close(value, (one[name] + other[name]) / 2)
    assert str(jumok.load(out).translate("Who sleeps at the hotel today?"))
    assert "the mean of `transformer-1`, `moved`" in (out / "README.md").read_text(encoding="utf-8")
    assert [part["name"] for part in json.loads((out / "averaged.json").read_text())["runs"]] == [RUN.name, "moved"]


def test_a_run_averaged_with_its_copies_is_itself(tmp_path):
    copies = [Path(shutil.copytree(RUN, tmp_path / name)) for name in ("second", "third")]
    average([RUN, *copies], tmp_path / "mean")
    same = load_file(tmp_path / "mean" / "model.safetensors")
    for name, value in load_file(RUN / "model.safetensors").items():
        assert torch.equal(same[name], value)


def test_dropout_may_differ_the_model_may_not(moved, tmp_path):
    path = moved / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["model"]["dropout"] = 0.37
    path.write_text(json.dumps(config), encoding="utf-8")
    average([RUN, moved], tmp_path / "mean")
    with pytest.raises(InputError, match="another model"):
        average([RUN, GOLDEN / "rnnsearch-1"], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_what_cannot_be_averaged_is_told(moved, tmp_path):
    with pytest.raises(InputError, match="at least two"):
        average([RUN], tmp_path / "mean")
    with pytest.raises(InputError, match="exists already"):
        average([RUN, moved], RUN)


def test_another_vocabulary_is_refused(moved, tmp_path):
    path = moved / "tokenizer.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    index["sides"]["source"], index["sides"]["target"] = index["sides"]["target"], index["sides"]["source"]
    path.write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(InputError, match="another vocabulary"):
        average([RUN, moved], tmp_path / "mean")
