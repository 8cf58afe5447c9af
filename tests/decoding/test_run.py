"""A run folder that cannot be used is refused in one sentence; nothing in it is ever executed."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from jumok.decoding.run import load_run
from jumok.errors import RunError
from jumok.run.folder import read_config
from tests.decoding.tiny_run import make_run


@pytest.fixture
def run(runs, tmp_path):
    return shutil.copytree(runs["bahdanau"], tmp_path / "run")


def refused(run, match):
    with pytest.raises(RunError, match=match) as caught:
        load_run(run)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_what_is_missing_is_named(run, tmp_path):
    refused(tmp_path / "nothing", "no run folder")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", r"config\.json")
    for name in ("model.safetensors", "source.vocab", "tokenizer.json"):
        broken = shutil.copytree(run, tmp_path / f"without-{name}")
        (broken / name).unlink()
        refused(broken, name)


def test_damage_is_named(run, tmp_path):
    for name, content in (("config.json", b"{"), ("config.json", b"[]"), ("model.safetensors", b"PK\x03\x04no")):
        broken = shutil.copytree(run, tmp_path / f"broken-{name}-{len(content)}")
        (broken / name).write_bytes(content)
        refused(broken, name)
    cut = shutil.copytree(run, tmp_path / "cut")
    (cut / "model.safetensors").write_bytes((run / "model.safetensors").read_bytes()[:-100])
    refused(cut, r"model\.safetensors is damaged")
    vocabulary = shutil.copytree(run, tmp_path / "vocabulary")
    (vocabulary / "target.vocab").write_bytes((run / "target.vocab").read_bytes() + b" ")
    refused(vocabulary, "SHA-256")


def test_a_newer_format_is_refused(run):
    tree = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(tree | {"format": 99}))
    refused(run, "update Jumok")
    del tree["format"]
    (run / "config.json").write_text(json.dumps(tree))
    refused(run, "no format")


def test_weights_or_tokenizers_of_another_model_are_refused(run, tmp_path):
    weights = load_file(run / "model.safetensors")
    name = next(iter(weights))
    save_file({key: value for key, value in weights.items() if key != name}, run / "model.safetensors")
    refused(run, f"lacks the tensor '{name}'")
    save_file(weights | {"extra": torch.zeros(1)}, run / "model.safetensors")
    refused(run, "'extra'")
    save_file(weights, run / "model.safetensors")
    other = make_run(tmp_path / "other", kind="characters")
    for file in ("tokenizer.json", "source.vocab", "target.vocab"):
        shutil.copy(other / file, run / file)
    refused(run, "tokenizer")


def test_plugins_of_a_run_are_not_executed(run, tmp_path):
    trap = tmp_path / "trap.py"
    mark = tmp_path / "executed"
    trap.write_text(f"open({str(mark)!r}, 'w')\n")
    tree = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(tree | {"plugins": [str(trap)]}))
    load_run(run)
    assert read_config(run).plugins == [str(trap)]
    assert not mark.exists()


def test_the_hash_names_weights_and_config(run):
    before = load_run(run)
    assert len(before.hash) == 12
    assert before.sha256 == load_run(run).sha256
    tree = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(tree | {"seed": 5}))
    assert load_run(run).sha256 != before.sha256
    with pytest.raises(RunError, match="device"):
        load_run(run, "tpu9")
    with pytest.raises(RunError, match="it holds no numbers"):
        load_run(run, "meta")


def test_a_kept_choice_of_heads_is_read_back(run):
    from jumok.decoding.alignment_choice import AlignmentChoice, write_choice

    write_choice(run, AlignmentChoice(0, (0,), shift=True), "gold")
    assert load_run(run).choice == AlignmentChoice(0, (0,), shift=True)
    write_choice(run, AlignmentChoice(5, None), "gold")
    refused(run, "layer 5")
    (run / "alignment.json").write_text("{")
    refused(run, r"alignment\.json")
