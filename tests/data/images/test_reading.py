"""Every mode, size and orientation becomes the same pixels; what cannot be used is named."""

import io
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from jumok.data.images import class_folders, fit, png_bytes, read_image
from jumok.errors import DataError

NOISE = Image.fromarray(np.random.default_rng(2).integers(0, 256, (83, 89, 3), dtype=np.uint8))
PIXELS = np.random.default_rng(3).integers(0, 256, (13, 7, 3), dtype=np.uint8)


def saved(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def test_a_png_is_read_exactly_from_bytes_and_file(tmp_path):
    content = png_bytes(PIXELS)
    (tmp_path / "그림.png").write_bytes(content)
    assert (read_image(content) == PIXELS).all()
    assert (read_image(tmp_path / "그림.png") == PIXELS).all()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK", "YCbCr"])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_every_mode_becomes_rgb(mode, kind):
    image = Image.fromarray(PIXELS).convert("I" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(PIXELS[:, :, 0].astype(np.uint16) * 257)
    try:
        content = saved(image, kind)
    except OSError:
        return  # the format does not know the mode
    assert read_image(content).shape == (13, 7, 3)


def test_sixteen_bits_of_grey_keep_their_brightness():
    grey = PIXELS[:, :, 0].astype(np.uint16) * 257
    assert (read_image(saved(Image.fromarray(grey)))[:, :, 1] == PIXELS[:, :, 0]).all()


def test_what_is_transparent_is_white():
    clear = Image.fromarray(np.dstack([PIXELS, np.zeros((13, 7), np.uint8)]))
    assert (read_image(saved(clear)) == 255).all()
    palette = Image.new("P", (5, 3), 0)
    palette.putpalette([9, 8, 7])
    assert (read_image(saved(palette, transparency=0)) == 255).all()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_undone(orientation):
    upright = np.zeros((16, 24, 3), np.uint8)
    upright[:8, :8] = 255  # top left
    turns = {1: [], 2: [0], 3: [3], 4: [1], 5: [5], 6: [2], 7: [6], 8: [4]}
    image = Image.fromarray(upright)
    for turn in turns[orientation]:  # what a camera that was held so has stored
        image = image.transpose(Image.Transpose(turn))
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = read_image(saved(image, "JPEG", quality=100, exif=exif))
    assert found.shape == upright.shape
    assert np.abs(found.astype(int) - upright).mean() < 6


def png_header(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


HOSTILE = {
    "empty": (b"", "is empty"),
    "text": (b"hello", "is not a picture"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "never run"),
    "gif": (saved(Image.new("L", (3, 3)), "GIF"), "another format"),
    "huge": (png_header(60_000, 60_000), "pixels; at most"),
    "large": (png_header(9_000, 9_000), "9,000 × 9,000"),
    "lying": (png_header(700, 700), "broken or cut off"),
    "cut png": (saved(NOISE)[:3000], "broken or cut off"),
    "cut jpeg": (saved(NOISE, "JPEG")[:3000], "broken or cut off"),
    "cut webp": (saved(NOISE, "WEBP")[:3000], "broken|not a picture"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_used_is_named_with_the_reason(case, tmp_path):
    content, reason = HOSTILE[case]
    path = tmp_path / f"{case}.png"
    path.write_bytes(content)
    with pytest.raises(DataError, match=reason) as caught:
        read_image(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_flipped_byte_anywhere_is_read_or_refused_never_a_crash():
    random = np.random.default_rng(5)
    for content in (png_bytes(PIXELS), saved(Image.fromarray(PIXELS), "JPEG"), saved(Image.fromarray(PIXELS), "WEBP")):
        for _ in range(150):
            changed = bytearray(content)
            changed[random.integers(len(changed))] ^= 1 << random.integers(8)
            with suppress(DataError):
                assert read_image(bytes(changed), most_pixels=10_000).ndim == 3


@pytest.mark.parametrize("how", ["crop", "pad", "stretch"])
@pytest.mark.parametrize("size", [(13, 7), (5, 11), (31, 29), (1, 1)])
def test_fitting_gives_the_size_and_keeps_a_plain_colour(how, size):
    plain = np.full((17, 5, 3), (200, 100, 50), np.uint8)
    found = fit(plain, *size, how)
    assert found.shape == (*size, 3)
    assert (found[size[0] // 2, size[1] // 2] == plain[0, 0]).all()
    assert (fit(PIXELS, 13, 7, how) == PIXELS).all()
    assert fit(plain, *size, how, grey=True).shape == (*size, 1)


def test_cropping_cuts_and_padding_keeps_the_edges():
    wide = np.full((10, 30, 3), 128, np.uint8)
    wide[:, :5] = 0
    assert (fit(wide, 10, 10, "crop") == 128).all()
    padded = fit(wide, 30, 30, "pad")
    assert (padded[:9] == 255).all()
    assert (padded[15, 0] == 0).all()
    with pytest.raises(DataError, match="did you mean 'crop'"):
        fit(wide, 3, 3, "corp")


def test_class_folders_are_found_at_any_depth(tmp_path):
    for name in ("cat/2.png", "cat/1.JPG", "cat/.hidden.png", "cat/notes.txt", "Greek/alpha/1.webp", "empty/readme"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    found = class_folders(tmp_path)
    assert {name: [file.name for file in files] for name, files in found.items()} == {
        "Greek/alpha": ["1.webp"],
        "cat": ["1.JPG", "2.png"],
    }
    with pytest.raises(DataError, match=r"alpha has 1 pictures; each class needs 2"):
        class_folders(tmp_path, least=2)
    (tmp_path / "stray.png").write_bytes(b"")
    with pytest.raises(DataError, match=r"stray\.png belongs to no class"):
        class_folders(tmp_path)
    with pytest.raises(DataError, match="holds no pictures"):
        class_folders(tmp_path / "empty")
    with pytest.raises(DataError, match="is not a folder"):
        class_folders(tmp_path / "none")
