"""Pictures of one's own in `task=captioning`: what is kept apart, dropped and left out is said by name."""

import numpy as np
import pytest

from jumok.config import nest, resolve
from jumok.data.images import png_bytes
from jumok.tasks.captioning.pictures import make_splits
from jumok.tasks.captioning.prepare import learn_vocabulary, store_captions

PIXELS = np.random.default_rng(18).integers(0, 256, (10, 16, 16, 3), dtype=np.uint8)


@pytest.fixture
def folder(tmp_path):
    """Ten pictures, and a second of each of the first five; `train.tsv` lists all but the tenth."""
    for number, pixels in enumerate(PIXELS):
        (tmp_path / f"{number}.png").write_bytes(png_bytes(pixels))
    for number in range(5):
        (tmp_path / f"{number}-again.png").write_bytes(png_bytes(PIXELS[number]))
    names = [*(f"{number}.png" for number in range(9)), *(f"{number}-again.png" for number in range(5))]
    (tmp_path / "train.tsv").write_text("".join(f"{name}\ta thing\n" for name in names), encoding="utf-8")
    (tmp_path / "test.tsv").write_text("9.png\ta thing\n", encoding="utf-8")
    return tmp_path


def config(folder, **keys):
    given = {"images": str(folder), "captions": str(folder / "train.tsv"), **keys}
    return resolve(nest({"task": "captioning", "text.kind": "words", **{f"data.{key}": v for key, v in given.items()}}))


def test_pictures_that_another_list_names_are_not_called_without_a_line(folder):
    (folder / "forgotten.png").write_bytes(png_bytes(255 - PIXELS[0]))
    said = []
    make_splits(config(folder, test_captions=str(folder / "test.tsv")).data, 16, folder / "stores", said.append)
    test, train = said[:2]
    assert test.startswith(f"test, {folder}: 1 of 1 pictures kept")
    assert train.startswith(f"train, {folder}: 9 of 14 pictures kept")
    for report in (test, train):
        assert "dropped 1: no line in the list of captions: forgotten.png" in report


def test_equal_pictures_are_not_on_both_sides_of_what_is_held_out(folder):
    said = []
    data = config(folder, drop_duplicates=False, held_out=2).data
    splits = make_splits(data, 16, folder / "stores", said.append)
    train, dev = (different(splits[name].pixels) for name in ("train", "dev"))
    assert dev
    assert not train & dev
    assert len(splits["train"].captions) == len(splits["train"].pixels) > len(train)
    assert any("the same picture as one held out: 0-again.png" in text for text in said)


def different(store):
    return {store[number].tobytes() for number in range(len(store))}


def test_captions_that_are_too_long_are_named(folder):
    with (folder / "train.tsv").open("a", encoding="utf-8") as more:
        more.write("5.png\t" + "thing " * 40 + "\n")
    made, said = config(folder, test_captions=str(folder / "test.tsv"), max_length=30, held_out=2), []
    train = make_splits(made.data, 16, folder / "stores", said.append)["train"]
    ids = store_captions(made, folder / "captions-train", train, learn_vocabulary(made, train), said.append)
    assert len(ids) == sum(map(len, train.captions)) - 1
    assert said[-1] == "captions-train: dropped 1: longer than data.max_length=30 tokens: 5.png"
