"""Runs of the tasks without text, loaded: damaged files, foreign weights and code in a run folder are refused."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import jumok
from jumok.errors import InputError, JumokError, RunError
from jumok.run import manifest
from jumok.run.names import CONFIG, MANIFEST, WEIGHTS
from jumok.studio.runs import NamedRun
from jumok.studio.sessions import Sessions

RUNS = ("captions", "episodes", "worlds", "drawing")
FLIPS = 10


@pytest.fixture(params=RUNS)
def run(request, picture_runs, tmp_path) -> Path:
    return Path(shutil.copytree(picture_runs / request.param, tmp_path / request.param))


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def change(run: Path, found: str, replaced: str) -> None:
    text = (run / CONFIG).read_text(encoding="utf-8")
    assert found in text
    (run / CONFIG).write_text(text.replace(found, replaced, 1), encoding="utf-8")


def test_every_flipped_bit_of_the_weights_is_refused(run):
    whole = (run / WEIGHTS).read_bytes()
    chance = random.Random(run.name)
    for _ in range(FLIPS):
        (run / WEIGHTS).write_bytes(whole)
        flip(run / WEIGHTS, chance)
        with pytest.raises(RunError, match=r"model.safetensors is damaged or was changed: .*run verify .* --write"):
            jumok.load(run)


@pytest.mark.parametrize(
    ("name", "show"),
    [
        ("captions", lambda run: Sessions().open(run)),
        ("episodes", lambda run: Sessions().open_model(run, "few-shot")),
        ("drawing", lambda run: Sessions().open_model(run, "image-gan")),
    ],
)
def test_the_studio_refuses_them_too(picture_runs, tmp_path, name, show):
    run = Path(shutil.copytree(picture_runs / name, tmp_path / name))
    flip(run / WEIGHTS, random.Random(2))
    with pytest.raises(JumokError, match="damaged or was changed"):
        show(NamedRun("run", run))


def test_a_changed_config_is_refused_although_it_is_a_valid_one(run):
    change(run, '"seed": 1', '"seed": 3')
    with pytest.raises(RunError, match=r"config.json is damaged or was changed: .*run verify .* --write"):
        jumok.load(run)
    manifest.write(run)
    jumok.load(run)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("episodes", '"filters": 3', '"filters": 4'),
        ("worlds", '"size": 5', '"size": 6'),
        ("drawing", '"noise": 5', '"noise": 7'),
    ],
)
def test_weights_of_another_model_are_named(picture_runs, tmp_path, name, key, value):
    run = Path(shutil.copytree(picture_runs / name, tmp_path / name))
    change(run, key, value)
    (run / MANIFEST).unlink()
    with pytest.raises(RunError, match=r"model.safetensors.*(has shape|belongs to another model)"):
        jumok.load(run)


def test_a_run_folder_executes_nothing(run, tmp_path):
    plugin = tmp_path / "plugin.py"
    plugin.write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    tree = json.loads((run / CONFIG).read_text(encoding="utf-8"))
    (run / CONFIG).write_text(json.dumps(tree | {"plugins": [str(plugin)]}), encoding="utf-8")
    manifest.write(run)
    jumok.load(run)
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(("name", "key"), [("episodes", "scaled_dot"), ("worlds", "scaled_dot"), ("drawing", "dot")])
def test_a_part_that_only_a_plugin_has_is_asked_for_by_its_name(picture_runs, tmp_path, name, key):
    run = Path(shutil.copytree(picture_runs / name, tmp_path / name))
    change(run, f'"{key}"', '"of-my-own"')
    change(run, '"plugins": []', '"plugins": ["mine.py"]')
    manifest.write(run)
    with pytest.raises(RunError, match=r"of-my-own.*load the plugins that define it: mine.py"):
        jumok.load(run)


def test_an_unknown_device_is_one_sentence(run):
    with pytest.raises(RunError, match="device 'nowhere' cannot be used"):
        jumok.load(run, "nowhere")


@pytest.mark.parametrize(
    ("name", "ask", "said"),
    [
        ("captions", lambda model: model.caption_all("photo.png"), "a list of pictures is needed"),
        ("captions", lambda model: model.caption_all(None), "a list of pictures is needed"),
        ("captions", lambda model: model.evaluate([PIXELS], ["a text"]), "must be a list of words"),
        ("episodes", lambda model: model.classify({"a": [INK]}, None), "a picture or a list of pictures"),
        ("episodes", lambda model: model.classify({"a": [INK]}, [None]), "A picture is a file name"),
        ("episodes", lambda model: model.classify({"a": None}, INK), "a picture or a list of pictures"),
        ("episodes", lambda model: model.classify([("a",)], INK), r"example 1 must be \(label, picture\)"),
        ("episodes", lambda model: model.classify([("a", INK), (None, INK)], INK), "the label of example 2"),
        ("worlds", lambda model: model.play(1, seed=None), "seed must be a whole number"),
        ("worlds", lambda model: model.rewards(1, seed=-1), "seed must be from 0"),
        ("worlds", lambda model: model.play(1, first=1.5), "first must be a whole number"),
        ("drawing", lambda model: model.generate(1, label=3), "the label must be a text"),
        ("drawing", lambda model: model.between(-1, 0), "the number of a picture must be from 0"),
        ("drawing", lambda model: model.nearest([], 1), "there is no picture"),
    ],
)
def test_what_is_not_asked_for_rightly_is_one_sentence(picture_runs, name, ask, said):
    with pytest.raises(InputError, match=said) as refused:
        ask(jumok.load(picture_runs / name))
    assert "\n" not in str(refused.value)


PIXELS = np.zeros((64, 64, 3), np.uint8)
INK = np.zeros((16, 16), np.uint8)


def test_one_picture_of_a_class_needs_no_list_and_a_label_may_be_a_number(picture_runs):
    model = jumok.load(picture_runs / "episodes")
    [of_list], [alone] = (
        model.classify({1: [INK], 2: [255 - INK]}, INK),
        model.classify({"1": INK, "2": 255 - INK}, [INK]),
    )
    assert of_list.probabilities == alone.probabilities


def test_an_option_that_the_task_does_not_have_is_refused_by_name(run):
    with pytest.raises(InputError, match=r"takes no option 'engine'.*leave it out"):
        jumok.load(run, engine="fast")
