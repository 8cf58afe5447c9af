"""Text inside a PNG: what a picture is of, in `iTXt` chunks that image programs show."""

import zlib
from collections.abc import Iterable

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def with_text(content: bytes, texts: Iterable[tuple[str, str]]) -> bytes:
    """The picture with a UTF-8 text chunk for each key, after its header."""
    head = len(_SIGNATURE) + 25  # signature and IHDR: length 4, type 4, data 13, checksum 4
    chunks = b"".join(_chunk(b"iTXt", key.encode("latin-1") + b"\0\0\0\0\0" + value.encode()) for key, value in texts)
    return content[:head] + chunks + content[head:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
