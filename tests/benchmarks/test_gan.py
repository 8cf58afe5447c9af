"""The benchmark of the image GAN in miniature: rows are not done twice, speed rows run, colours are read."""

import json
from argparse import Namespace

import numpy as np
import pytest
import torch

from jumok.config import resolve
from jumok.data.picturebook import COLOURS
from jumok.evaluation.picture_classifier import load_classifier, save_classifier, train_classifier
from tests.benchmarks.programs import load

gan, speed = load("gan"), load("gan_speed")
TINY = (
    "data.side=16", "data.size=150", "data.batch=8", "model.width=4", "model.noise=4", "model.attention.at=[]",
    "train.validate_every=2", "train.save_every=1", "train.validate_size=20",
)  # fmt: skip


@pytest.fixture
def asked(tmp_path):
    """Arguments of a small row, and the Hangul file that it reads: faces in rows, of which the first is for testing."""
    random = np.random.default_rng(1)
    split = np.full((30, 8), "train")
    split[0] = "test"
    pictures = random.integers(0, 255, (30, 8, 16, 16), dtype=np.uint8)
    np.savez(tmp_path / "glyphs.npz", images=pictures, syllable=np.array(list("가나다라마바사아")), image_split=split)
    given = ["quality", "--hangul", str(tmp_path / "glyphs.npz"), "--syllables", "7", "--out", str(tmp_path / "out")]
    given += ["--budget", "1", "--seeds", "1", "--samples", "40", "--classifier-steps", "5", "--keys", *TINY]
    (tmp_path / "out").mkdir()
    return given


def test_a_row_is_trained_measured_and_not_done_again(asked, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["gan.py", *asked, "train.max_steps=2", "--models", "sagan", "dcgan"])
    gan.main()
    results = [json.loads((tmp_path / f"out/hangul-{name}-1.json").read_text()) for name in ("sagan", "dcgan")]
    assert abs(results[0]["parameters"] / results[1]["parameters"] - 1) < 0.3
    assert results[0]["classifier"] == results[1]["classifier"]
    for found in results:
        assert {*found["drawn"]} == {*found["real"]} == {"frechet", "kid", "one_nn", "precision", "recall"}
        assert 0 <= found["classifier_accuracy"] <= 100
        assert found["pictures"] == 7  # one face of seven syllables was never learned
    assert results[0]["real"] == results[1]["real"]
    assert capsys.readouterr().out.count("steps: frechet") == 2
    monkeypatch.setattr(gan, "training", None)  # nothing is trained again
    gan.main()


@pytest.mark.parametrize("part", ["quality", "agree"])
def test_a_training_that_was_interrupted_is_not_measured(asked, tmp_path, monkeypatch, part):
    calls = []
    monkeypatch.setattr(gan, "finished", lambda command, minutes: calls.append((command, minutes)))
    asked = [part, *asked[1 : -len(TINY) - 1], "--minutes", "7", "--clock", "processor"]
    monkeypatch.setattr("sys.argv", ["gan.py", *asked])
    gan.main()
    assert not [*(tmp_path / "out").glob("*.json")]
    assert len(calls) == {"quality": 3, "agree": 2}[part]
    for command, minutes in calls:
        assert minutes == 7
        assert {"train.max_minutes=1.0", 'train.clock="processor"', "runtime.threads=1"} <= {*command}


@pytest.mark.parametrize("classes", [0, 10, 320])
def test_models_have_equal_parameters_for_the_classes_that_there_are(classes):
    asked = Namespace(keys=["model.attention.at=[8]"], budget=1, clock="wall")
    sizes = {}
    for name in gan.MODELS:
        keys = gan.keys_of(gan.Row("x", name, 1), {"data.side": 32}, classes, asked)
        assert keys.get("model.attention.at") == ([8] if name == "sagan" else None)
        sizes[name] = gan.size_of(keys, classes)
    assert abs(sizes["sngan"] / sizes["sagan"] - 1) < 0.01
    assert abs(sizes["dcgan"] / sizes["sagan"] - 1) < 0.025


def test_the_floor_is_of_pictures_that_nobody_learned_from(asked, tmp_path):
    parsed = gan.arguments().parse_args(asked)
    [data] = gan.data_sets(parsed)
    train, other = data.stored(resolve({"task": "image-gan", "data.side": 16, "seed": 5}), tmp_path)
    assert (len(train), len(other), train.names) == (29 * 7, 7, other.names)
    learned = {row.tobytes() for row in train.store.batch(range(len(train)))}
    assert not [row for row in other.store.batch(range(7)) if row.tobytes() in learned]
    with np.load(tmp_path / "glyphs.npz") as file:
        shown = other.store.batch(range(7))[..., 0]
        assert np.array_equal(shown, file["images"][0, :7])
        assert [other.names[label] for label in other.labels_N] == file["syllable"][:7].tolist()
    again, _ = data.stored(resolve({"task": "image-gan", "data.side": 16, "seed": 6}), tmp_path)
    assert np.array_equal(again.store.batch(range(50)), train.store.batch(range(50)))


def test_files_of_fashion_that_are_missing_are_named(tmp_path):
    with pytest.raises(SystemExit, match="no train-images-idx3-ubyte or"):
        gan.idx_file(tmp_path, "train")


def test_speed_rows_run():
    found = speed.layer_speed(2, 16, 4, 1)
    assert {*found} == {"ours", "written out"}
    keys = {"data.side": 16, "data.batch": 4, "data.colour": True, "model.width": 4, "model.attention.at": [8]}
    assert {*speed.step_speed(keys, 1)} == {"ours", "plain"}
    assert speed.step_line(keys, 1).startswith("step 16² colour")


def test_the_formula_written_out_is_the_layer():
    layer = speed.GridSelfAttention(16)
    torch.nn.init.constant_(layer.gamma, 0.3)
    x = torch.randn(2, 16, 3, 5)
    torch.testing.assert_close(speed.WrittenOut(layer)(x), layer(x), atol=1e-5, rtol=1e-5)


def test_agreement_reads_the_colours_of_both_things():
    colours = np.array(list(COLOURS.values()), np.uint8)
    pictures = np.full((14, 32, 32, 3), 250, np.uint8)
    for number in range(14):
        pictures[number, 10:22, 4:12] = colours[number % 7]
        pictures[number, 10:22, 20:28] = colours[(number % 7) if number < 7 else (number + 1) % 7]
    assert gan.agreement(pictures) == 0.5
    assert gan.agreement(gan.shuffled(np.repeat(pictures[:7], 20, 0))) < 0.3


def test_the_classifier_is_named_by_its_hash_and_tells_easy_pictures_apart(tmp_path):
    def batches():
        random = torch.Generator().manual_seed(1)
        while True:
            labels = torch.randint(2, (16,), generator=random)
            yield torch.randn(16, 1, 16, 16, generator=random) * 0.2 + labels.view(-1, 1, 1, 1).float(), labels

    model = train_classifier(batches(), 1, 2, 30)
    name = save_classifier(model, tmp_path / "c.safetensors")
    again, same = load_classifier(tmp_path / "c.safetensors", 1, 2)
    assert name == same == save_classifier(train_classifier(batches(), 1, 2, 30), tmp_path / "d.safetensors")
    pictures, labels = next(batches())
    assert (again(pictures).argmax(1) == labels).all()
    assert again.space([pictures]).shape == (16, 64)
