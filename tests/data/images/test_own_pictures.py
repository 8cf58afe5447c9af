"""Pictures of your own: lists, folders, tars; what is dropped is named; augmentation repeats itself."""

import gzip
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

from jumok.data.images.augment import Augmentation, augment
from jumok.data.images.captioned import Captioned, open_pictures, read_captions
from jumok.data.images.prepare import prepare_images
from jumok.data.images.reading import png_bytes
from jumok.errors import DataError

RANDOM = np.random.default_rng(7)
IMAGES = [RANDOM.integers(0, 256, (17, 13, 3), dtype=np.uint8) for _ in range(4)]


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "pictures"
    root.mkdir()
    for number, pixels in enumerate(IMAGES):
        (root / f"{number}.png").write_bytes(png_bytes(pixels))
    (root / "again.png").write_bytes(png_bytes(IMAGES[1]))
    (root / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no more")
    (root / "silent.png").write_bytes(png_bytes(IMAGES[0] // 2))
    (tmp_path / "captions.tsv").write_text(
        "0.png\tA dog.\n0.png\tA brown dog.\n1.png\tA cat.\tThe cat.\nagain.png\tA cat.\nbroken.jpg\tA cow.\n"
        "2.png\t \n3.png\tA bird.\nmissing.png\tA fish.\n../captions.tsv\tA trick.\n",
        encoding="utf-8",
    )
    return tmp_path


def test_what_cannot_be_used_is_named(folder):
    captions = read_captions(folder / "captions.tsv")
    assert captions[0].captions == ("A dog.", "A brown dog.")
    test = prepare_images(
        open_pictures(folder / "pictures"), [one for one in captions if one.file == "3.png"], folder / "t", (8, 8)
    )
    found = prepare_images(open_pictures(folder / "pictures"), captions, folder / "store", (8, 8), held_out=test.keys)
    assert [row.file for row in found.rows] == ["0.png", "1.png"]
    assert found.store.shape == (8, 8, 3)
    report = found.report
    assert (report.read, report.kept) == (8, 2)
    dropped = {reason.split(" ")[0]: files for reason, files in report.dropped.items()}
    assert dropped["without"] == ["2.png"]
    assert dropped["in"] == ["3.png"]
    assert dropped["the"] == ["again.png (1.png)"]
    assert dropped["cannot"][0].startswith("broken.jpg (is broken")
    assert dropped["listed,"] == ["missing.png", "../captions.tsv"]
    assert dropped["no"] == ["silent.png"]
    assert "missing.png" in str(report)


def test_a_name_that_no_file_can_have_is_reported_as_missing(folder, monkeypatch):
    (folder / "pictures" / "circle.png").symlink_to("circle.png")
    names = ["a\0b.png", "x" * 5000 + ".png", "circle.png", "circle.png/0.png"]
    rows = [*read_captions(folder / "captions.tsv")[:2], *(Captioned(name, ("A dog.",)) for name in names)]
    plain = Path.read_bytes

    def without_rights(path):
        if path.name == "1.png":
            raise PermissionError(13, "Permission denied")
        return plain(path)

    monkeypatch.setattr(Path, "read_bytes", without_rights)
    found = prepare_images(open_pictures(folder / "pictures"), rows, folder / "s", (8, 8))
    assert [row.file for row in found.rows] == ["0.png"]
    (missing,) = (files for reason, files in found.report.dropped.items() if "not there (or not readable" in reason)
    assert missing == ["1.png", *names]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    for name, text in (("a.tsv", "0.png\tA dog.\n"), ("a.jsonl", '{"file": "0.png", "caption": "A dog."}\n')):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        assert read_captions(tmp_path / name) == [Captioned("0.png", ("A dog.",))]


def test_pictures_of_other_splits_are_not_called_without_a_line(folder):
    captions = read_captions(folder / "captions.tsv")
    first, rest = captions[:1], frozenset(one.file for one in captions[1:])
    found = prepare_images(open_pictures(folder / "pictures"), first, folder / "s", (8, 8), elsewhere=rest)
    assert found.report.dropped == {"no line in the list of captions": ["silent.png"]}


def test_a_store_is_found_again_and_built_again_when_a_picture_changes(folder):
    captions = read_captions(folder / "captions.tsv")
    pictures = open_pictures(folder / "pictures")
    first = prepare_images(pictures, captions, folder / "store", (8, 8))
    again = prepare_images(pictures, captions, folder / "store", (8, 8), progress=pytest.fail)
    assert again.rows == first.rows
    assert str(again.report) == str(first.report)
    (folder / "pictures" / "0.png").write_bytes(png_bytes(255 - IMAGES[0]))
    changed = prepare_images(pictures, captions, folder / "store", (8, 8))
    assert (changed.store[0] != first.store[0]).any()


def test_a_tar_holds_the_same_as_its_folder(folder):
    with tarfile.open(folder / "pictures.tar", "w") as archive:
        archive.add(folder / "pictures", arcname=".")
        link = tarfile.TarInfo("link.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    packed, plain = open_pictures(folder / "pictures.tar"), open_pictures(folder / "pictures")
    assert packed.files() == plain.files()
    assert all(packed.content(file) == plain.content(file) for file in plain.files())
    assert packed.content("link.png") is None
    assert plain.content("../captions.tsv") is None
    (folder / "pictures.tar").write_bytes(b"x" * 1000)
    with pytest.raises(DataError, match="cannot be read as an uncompressed tar"):
        open_pictures(folder / "pictures.tar")


def test_captions_as_jsonl_gzipped_and_by_split(tmp_path):
    rows = [
        {"image": "a.jpg", "split": "train", "captions": ["One.", "Two."]},
        {"file": "b.jpg", "split": "test", "caption": "Three."},
    ]
    path = tmp_path / "captions.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert [one.file for one in read_captions(path)] == ["a.jpg", "b.jpg"]
    assert read_captions(path, split="test")[0].captions == ("Three.",)
    with pytest.raises(DataError, match="of the split 'dev'"):
        read_captions(path, split="dev")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "no tab here\n", "a.tsv:1 has no tab"),
        ("a.jsonl", "[1]\n", "a.jsonl:1 is not a JSON object"),
        ("a.jsonl", '{"file": 3}\n', 'needs "file"'),
        ("a.tsv", "\n", "has no captions"),
    ],
)
def test_a_list_that_cannot_be_read_is_named_with_its_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_captions(tmp_path / name)
    with pytest.raises(DataError, match="neither a folder nor a tar"):
        open_pictures(tmp_path / "none")


def test_nothing_usable_is_an_error_with_the_reasons(folder):
    broken = [one for one in read_captions(folder / "captions.tsv") if one.file == "broken.jpg"]
    with pytest.raises(DataError, match=r"no picture of .* can be used:\n[\s\S]*broken\.jpg"):
        prepare_images(open_pictures(folder / "pictures"), broken, folder / "s", (8, 8))


def test_augmentation_is_a_function_of_seed_epoch_and_picture():
    how = Augmentation(flip=0.5, crop=0.2, colour=0.3)
    seen = {augment(IMAGES[0], how, *key).tobytes() for key in ((1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1))}
    assert len(seen) == 4
    assert (augment(IMAGES[0], how, 1, 2, 3) == augment(IMAGES[0], how, 1, 2, 3)).all()
    assert augment(IMAGES[0], Augmentation(), 1, 2, 3) is IMAGES[0]


def test_each_change_does_what_it_says():
    plain = np.full((12, 12, 3), (120, 80, 40), np.uint8)
    assert (augment(plain, Augmentation(flip=1, crop=0.5), 0, 0, 0) == plain).all()
    flipped = [augment(IMAGES[0], Augmentation(flip=0.5), 0, epoch, 0) for epoch in range(200)]
    mirrored = sum((one == IMAGES[0][:, ::-1]).all() for one in flipped)
    assert all((one == IMAGES[0]).all() or (one == IMAGES[0][:, ::-1]).all() for one in flipped)
    assert 70 < mirrored < 130
    toned = augment(plain, Augmentation(colour=0.3), 0, 0, 0)
    assert (toned == toned[0, 0]).all()
    assert (toned != plain).any()
    cut = augment(IMAGES[0], Augmentation(crop=0.4), 0, 0, 0)
    assert cut.shape == IMAGES[0].shape
