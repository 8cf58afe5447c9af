"""A picture as pixels, whatever its format, mode, size and orientation; a file that cannot be used is named."""

import io
import stat
import warnings
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo

from jumok.errors import DataError

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
FORMATS = ("PNG", "JPEG", "WEBP")
MOST_PIXELS = 50_000_000
"""Pixels of the largest picture that is decoded: 150 MB as RGB."""
MOST_BYTES = 100_000_000
_HEAD = 512


def read_image(source: Path | str | bytes, *, name: str = "", most_pixels: int = MOST_PIXELS) -> np.ndarray:
    """The picture as uint8 [H, W, 3], upright, with what is transparent on white.

    `source` is a file or the content of one; `name` is what messages call it. The size is read from the header and
    checked before anything is decoded. Of an animation the first picture is read.
    """
    name = name or ("the image" if isinstance(source, bytes) else str(source))
    content = source if isinstance(source, bytes) else _content(Path(source), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of large pictures and odd metadata; the limit here is our own
        try:
            return _decoded(content, name, most_pixels)
        except DataError:
            raise
        except MemoryError:
            raise DataError(f"{name} needs more memory than there is; make it smaller.") from None
        except Exception as error:  # decoders meet hostile bytes: whatever they raise means that the file is broken
            raise DataError(f"{name} is broken or cut off ({_reason(error)}); replace or remove it.") from None


def png_bytes(pixels: np.ndarray, software: str = "") -> bytes:
    """A PNG file of uint8 pixels [H, W, 3], or [H, W] for grey; `software` says in it who made it."""
    out, notes = io.BytesIO(), PngInfo()
    if software:
        notes.add_text("Software", software)
    Image.fromarray(pixels).save(out, "PNG", pnginfo=notes)
    return out.getvalue()


def _content(path: Path, name: str) -> bytes:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise DataError(f"{name} is not a file; name a PNG, JPEG or WebP picture.")
        if found.st_size > MOST_BYTES:
            raise DataError(f"{name} has {found.st_size:,} bytes; at most {MOST_BYTES:,} are read. Make it smaller.")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from None


def _decoded(content: bytes, name: str, most_pixels: int) -> np.ndarray:
    try:
        image = Image.open(io.BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError:
        raise DataError(f"{name} has too many pixels; at most {most_pixels:,} are decoded. Make it smaller.") from None
    except Image.UnidentifiedImageError:
        raise DataError(f"{name} {_kind(content)}; PNG, JPEG and WebP pictures are read.") from None
    with image:
        width, height = image.size
        if width * height > most_pixels:
            raise DataError(
                f"{name} has {width:,} × {height:,} pixels; at most {most_pixels:,} are decoded. Make it smaller."
            )
        return np.array(_plain(ImageOps.exif_transpose(image)), dtype=np.uint8)


def _plain(image: Image.Image) -> Image.Image:
    """The picture as RGB, transparent parts on white."""
    if image.mode.startswith("I"):
        # Sixteen bits of grey; Pillow itself would cut them off at 255.
        return Image.fromarray((np.asarray(image, dtype=np.int64).clip(0, 65535) // 257).astype(np.uint8)).convert(
            "RGB"
        )
    if not image.has_transparency_data:
        return image.convert("RGB")
    shown = image.convert("RGBA")
    paper = Image.new("RGBA", shown.size, (255, 255, 255, 255))
    return Image.alpha_composite(paper, shown).convert("RGB")


def _kind(content: bytes) -> str:
    """What a file is that no decoder knows, as far as its first bytes tell."""
    head = content[:_HEAD].lstrip().lower()
    if not content:
        return "is empty"
    if b"<svg" in head or head.startswith((b"<?xml", b"<!doctype")):
        return "is a drawing or page in XML, which is never run"
    if head.startswith((b"gif8", b"bm", b"ii*\0", b"mm\0*")) or head[4:8] == b"ftyp":
        return "is a picture of another format"
    return "is not a picture, or broken from its first bytes"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
