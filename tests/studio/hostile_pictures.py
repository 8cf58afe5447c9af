"""Pictures that mean no good, made when they are needed: bombs, cut files, polyglots, scripts, odd kinds."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

SIDE = 24


def plain() -> Image.Image:
    """A small picture with something in it."""
    ramp = np.arange(SIDE * SIDE * 3, dtype=np.uint32).reshape(SIDE, SIDE, 3)
    return Image.fromarray((ramp * 7 % 256).astype(np.uint8))


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    """The file of a picture."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of(width: int, height: int, data: bytes, *extra: bytes) -> bytes:
    """A PNG whose header says that size, whatever is in it."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(extra) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def huge_jpeg() -> bytes:
    """A small JPEG whose header says 65,000 × 65,000."""
    content = bytearray(saved(plain(), "JPEG"))
    place = content.index(b"\xff\xc0") + 5
    content[place : place + 4] = struct.pack(">HH", 65_000, 65_000)
    return bytes(content)


def endless_jpeg(scans: int = 4000) -> bytes:
    """A progressive JPEG of few bytes whose last pass over 2,000 × 2,000 pixels is repeated many times."""
    content = saved(Image.new("L", (2000, 2000), 90), "JPEG", progressive=True)
    last = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + last * scans + content[-2:]


def refused() -> dict[str, bytes]:
    """Files that must be refused, by name."""
    png, jpeg, webp = saved(plain(), "PNG"), saved(plain(), "JPEG"), saved(plain(), "WEBP")
    rows = zlib.compress(b"\0" * (1 + SIDE * 3) * SIDE)
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"\0" * 80_000_000, 9))
    return {
        "nothing": b"",
        "text": b"no picture at all",
        "huge-png": png_of(2_000_000_000, 2_000_000_000, rows),
        "wide-png": png_of(200_000, 20_000, rows),
        "huge-jpeg": huge_jpeg(),
        "text-bomb": png_of(SIDE, SIDE, rows, bomb),
        "cut-png": png[: len(png) // 2],
        "cut-jpeg": jpeg[: len(jpeg) // 2],
        "cut-webp": webp[: len(webp) // 2],
        "headless-png": png[8:],
        "no-data": png_of(SIDE, SIDE, b""),
        "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "xxe": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><svg>&b;</svg>',
        "page": b"<!doctype html><script>alert(1)</script>",
        "gif": saved(plain().convert("P"), "GIF"),
        "bmp": saved(plain(), "BMP"),
        "tiff": saved(plain(), "TIFF"),
        "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n(/etc/passwd) (r) file\n",
        "pickle": b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
        "zip": b"PK\x03\x04" + b"\0" * 60,
    }


def harmless() -> dict[str, bytes]:
    """Odd files that are pictures: each is read as the plain one, or in its own colours."""
    image = plain()
    still, other = image.convert("RGBA"), Image.new("RGBA", image.size, (255, 0, 0, 255))
    turned = Image.Exif()
    turned[0x0112] = 6
    return {
        "png": saved(image, "PNG"),
        "webp-named-png": saved(image, "WEBP", lossless=True),
        "polyglot-script": saved(image, "PNG") + b"<script>alert(1)</script>",
        "polyglot-zip": saved(image, "PNG") + b"PK\x03\x04" + b"\0" * 60,
        "animated-webp": saved(still, "WEBP", save_all=True, append_images=[other], lossless=True),
        "animated-png": saved(still, "PNG", save_all=True, append_images=[other]),
        "sixteen-bits": saved(Image.fromarray(np.full((SIDE, SIDE), 40_000, np.uint16)), "PNG"),
        "cmyk": saved(image.convert("CMYK"), "JPEG"),
        "palette": saved(image.convert("P"), "PNG"),
        "one-bit": saved(image.convert("1"), "PNG"),
        "turned": saved(image, "JPEG", exif=turned),
        "one-pixel": saved(Image.new("RGB", (1, 1)), "PNG"),
    }
