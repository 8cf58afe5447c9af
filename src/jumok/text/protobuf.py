"""The wire format of protocol buffers, as far as two small formats need it: SentencePiece models and ONNX graphs.

A message is a row of fields, each a key (number · 8 + kind) and a value: a varint, or so many bytes.
"""

import struct
from collections.abc import Iterator

from jumok.errors import TextError

Value = int | float | bytes | str


def field(number: int, value: Value) -> bytes:
    """A field as bytes: whole numbers as varints, float32 numbers, texts and messages by their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    content = value.encode("utf-8") if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A whole number in groups of seven bits, the lowest first; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes((*found, value))


def split(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Each field of a message with its number, as the bytes that it was written in."""
    start = 0
    while start < len(message):
        key, place = _read_varint(message, start)
        if key & 7 == 0:
            _, end = _read_varint(message, place)
        elif key & 7 == 2:
            size, place = _read_varint(message, place)
            end = place + size
        elif key & 7 in (1, 5):
            end = place + (8 if key & 7 == 1 else 4)
        else:
            raise TextError("a protocol buffer is damaged.")
        if end > len(message):
            raise TextError("a protocol buffer is damaged.")
        yield key >> 3, message[start:end]
        start = end


def _read_varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if place >= len(message) or shift > 63:
            raise TextError("a protocol buffer is damaged.")
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
