"""Pictures that are given to the studio: hostile ones do nothing but get a clear message."""

import base64
import io
import re
import tempfile

import numpy as np
import pytest
from PIL import Image

from jumok.studio.payload_pictures import MAX_PICTURE_BYTES
from jumok.studio.pictures import Pictures, decode
from jumok.studio.problems import RefusedError
from tests.studio import hostile_pictures
from tests.studio.hostile_pictures import SIDE, endless_jpeg, plain, saved

REFUSED, HARMLESS = hostile_pictures.refused(), hostile_pictures.harmless()


def text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def test_hostile_pictures_get_a_clear_message_and_the_studio_still_answers(served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in REFUSED.items():
        answer = served.post("pictures", data=text(content))
        assert 400 <= answer.status_code < 500, name
        message = answer.json()["error"]["message"]
        assert re.fullmatch(r"The picture [^/\n]{10,250}\.", message), (name, message)
    assert served.client.get("/api/v1/runs").status_code == 200
    assert list(tmp_path.iterdir()) == []


def test_a_given_picture_is_never_written_to_disk(tmp_path, monkeypatch):
    """A file that is made and removed again changes the time of its folder, so that the time tells of it."""
    monkeypatch.chdir(tmp_path)
    homes = {name: tmp_path / name for name in ("TMPDIR", "TEMP", "TMP", "HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
    for name, folder in homes.items():
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert tempfile.gettempdir() == str(homes["TMPDIR"])
    before = {folder: folder.stat().st_mtime_ns for folder in (tmp_path, *homes.values())}
    given = Pictures()
    for content in (HARMLESS["png"], HARMLESS["sixteen-bits"]):
        assert given.get(given.add(text(content)).id).shown().png
    for name in ("svg", "huge-jpeg"):
        with pytest.raises(RefusedError):
            given.add(text(REFUSED[name]))
    assert {folder: folder.stat().st_mtime_ns for folder in before} == before


@pytest.mark.parametrize(
    ("name", "told"),
    [("svg", "never run"), ("xxe", "never run"), ("huge-jpeg", "too many pixels"), ("gif", "another format")],
)
def test_the_message_says_what_is_wrong(name, told):
    with pytest.raises(RefusedError, match=told):
        decode(REFUSED[name])


def test_odd_pictures_are_read_and_come_back_as_plain_pngs(served):
    for name, content in HARMLESS.items():
        shown = served.ask("pictures", data=text(content))["picture"]
        png = base64.b64decode(shown["png"])
        assert re.search(rb"script|PK\x03\x04", png) is None, name
        with Image.open(io.BytesIO(png)) as image:
            assert (image.format, image.mode, image.size) == ("PNG", "RGB", (shown["width"], shown["height"])), name
            assert getattr(image, "n_frames", 1) == 1
            pixels = np.array(image)
        if "animated" in name or "polyglot" in name or name in ("png", "webp-named-png"):
            assert (pixels == np.array(plain())).all(), name
        if name == "sixteen-bits":
            assert (pixels == 40_000 // 257).all()


def test_a_photograph_turned_by_its_camera_stands_upright():
    image = Image.new("RGB", (SIDE * 2, SIDE), "white")
    turned = Image.Exif()
    turned[0x0112] = 6
    assert decode(saved(image, "JPEG", exif=turned)).pixels_HW3.shape == (SIDE * 2, SIDE, 3)


def test_a_large_picture_is_kept_smaller():
    picture = decode(saved(Image.new("RGB", (3000, 1500), "navy"), "PNG"))
    assert picture.pixels_HW3.shape == (512, 1024, 3)
    assert picture.given == (1500, 3000)
    assert picture.shown().given == [3000, 1500]


def test_decoding_ends_where_its_time_is_over():
    with pytest.raises(RefusedError, match="limits of memory and time"):
        decode(endless_jpeg(), seconds=1)


def test_decoding_ends_where_its_memory_is_used_up():
    content = saved(Image.new("RGB", (5000, 5000)), "PNG")
    with pytest.raises(RefusedError, match="memory"):
        decode(content, memory=350_000_000)


def test_what_is_too_large_or_not_base64_is_refused_before_it_is_decoded(served):
    assert served.post("pictures", data="A" * (MAX_PICTURE_BYTES * 4 // 3 + 8)).status_code == 413
    assert served.post("pictures", data="A" * 12_000_000).status_code == 413
    assert served.post("pictures", data="not base64!").status_code == 422
    assert served.client.get("/api/v1/runs").status_code == 200


def test_the_last_pictures_are_kept_and_older_ones_are_forgotten():
    pictures = Pictures(kept=2)
    ids = [pictures.add(text(saved(Image.new("RGB", (4, 4), colour), "PNG"))).id for colour in ("red", "green", "blue")]
    assert [pictures.get(one).id for one in ids[1:]] == ids[1:]
    with pytest.raises(RefusedError, match="give it again") as error:
        pictures.get(ids[0])
    assert error.value.status == 404
