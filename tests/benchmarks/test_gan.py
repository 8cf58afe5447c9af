"""The benchmark of the image GAN in miniature: rows are not done twice, speed rows run, colours are read."""

import json

import numpy as np
import torch

from jumok.data.picturebook import COLOURS
from jumok.evaluation.picture_classifier import load_classifier, save_classifier, train_classifier
from tests.benchmarks.programs import load

gan = load("gan")
TINY = (
    "data.side=16", "data.size=150", "data.batch=8", "model.width=4", "model.noise=4", "model.attention.at=[]",
    "train.validate_every=2", "train.save_every=1", "train.validate_size=20",
)  # fmt: skip


def test_a_row_is_trained_measured_and_not_done_again(tmp_path, monkeypatch, capsys):
    random = np.random.default_rng(1)
    split = np.full((30, 8), "train")
    split[0] = "test"
    pictures = random.integers(0, 255, (30, 8, 16, 16), dtype=np.uint8)
    np.savez(tmp_path / "glyphs.npz", images=pictures, syllable=np.array(list("가나다라마바사아")), image_split=split)
    given = ["quality", "--hangul", str(tmp_path / "glyphs.npz"), "--syllables", "7", "--out", str(tmp_path / "out")]
    given += ["--minutes", "1", "--seeds", "1", "--models", "sagan", "dcgan", "--samples", "40", "--keys", *TINY]
    given += ["--classifier-steps", "5"]
    monkeypatch.setattr("sys.argv", ["gan.py", *given])
    monkeypatch.setattr(gan, "MOST_STEPS", 2)
    gan.main()
    results = [json.loads((tmp_path / f"out/hangul-{name}-1.json").read_text()) for name in ("sagan", "dcgan")]
    assert abs(results[0]["parameters"] / results[1]["parameters"] - 1) < 0.3
    assert results[0]["classifier"] == results[1]["classifier"]
    for found in results:
        assert {*found["drawn"]} == {*found["real"]} == {"frechet", "kid", "one_nn", "precision", "recall"}
    assert capsys.readouterr().out.count("steps: frechet") == 2
    monkeypatch.setattr(gan, "train", None)  # nothing is trained again
    gan.main()


def test_speed_rows_run():
    found = gan.layer_speed(2, 16, 4, 1)
    assert {*found} == {"ours", "written out"}
    keys = {"data.side": 16, "data.batch": 4, "model.width": 4, "model.attention.at": [8]}
    assert {*gan.step_speed(keys, 1)} == {"ours", "plain"}


def test_the_formula_written_out_is_the_layer():
    layer = gan.GridSelfAttention(16)
    torch.nn.init.constant_(layer.gamma, 0.3)
    x = torch.randn(2, 16, 3, 5)
    torch.testing.assert_close(gan.WrittenOut(layer)(x), layer(x), atol=1e-5, rtol=1e-5)


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
