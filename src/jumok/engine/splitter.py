"""A sentence splitter as an ONNX model, for programs that expect one inside a package (MiniSBD, which Argos uses).

MiniSBD asks a model for the class of each character: 0 inside, 2 the last of a sentence. Ours is one convolution over
the kinds of four characters, the one before, the character itself and the two after it:

    end of a sentence    . ! ? …  before a space, or with a closing quote or bracket between; 。！？ anywhere
    not one              where a small Latin letter follows, as after "e.g."

Numbers, abbreviations before capital letters ("Dr. Kim") and lists are beyond it. The graph is written out by hand, so
that no further library is needed.
"""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from jumok.text.protobuf import field

KINDS = {
    "ender": ".!?…",
    "closer": "\"')]}”’»」』】）",
    "space": " ",
    "wide": "。！？．",
    "small": "".join(chr(code) for code in range(ord("a"), 0x250) if chr(code).islower()),
}
# How much a kind speaks for an end where it stands before the character, at it, one after it, two after it.
WEIGHTS = {
    "ender": (3.0, 7.0, 0.0, 0.0),
    "closer": (0.0, 4.5, -6.0, 0.0),
    "space": (0.0, 0.0, 4.0, 0.0),
    "wide": (6.2, 12.0, 0.0, 0.0),
    "small": (0.0, 0.0, 0.0, -4.0),
}
THRESHOLD = 10.5
CLASSES, END = 5, 2
FLOAT, INT64 = 1, 7


def splitter(language: str) -> bytes:
    """The model file."""
    characters = [character for kind in KINDS.values() for character in kind]
    units = ["<PAD>", "<UNK>", *characters]
    vocabulary = {"lang": "", "_id2unit": units, "_unit2id": {unit: number for number, unit in enumerate(units)}}
    config = {"feat_funcs": ["space_before"], "max_seqlen": 1000, "batch_size": 32}
    about = {"lang_code": language, "config": config, "vocab": vocabulary, "lexicon": None}
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in about.items()}
    notes = (field(14, field(1, key) + field(2, value)) for key, value in texts.items())
    # ir_version, producer_name, graph, opset_import
    return field(1, 8) + field(2, "jumok") + field(7, _graph(characters)) + field(8, field(2, 13)) + b"".join(notes)


def _graph(characters: list[str]) -> bytes:
    """units → kinds of characters → convolution → classes."""
    kinds = np.zeros((len(characters) + 2, len(KINDS)), np.float32)
    for row, character in enumerate(characters, 2):
        kinds[row] = [character in kind for kind in KINDS.values()]
    kernel = np.zeros((CLASSES, len(KINDS), 4), np.float32)
    kernel[END] = [WEIGHTS[kind] for kind in KINDS]
    bias = np.full(CLASSES, -100.0, np.float32)
    bias[0], bias[END] = 0.0, -THRESHOLD
    nodes = [
        _node("Gather", ("kinds", "units"), "seen"),
        _node("Transpose", ("seen",), "columns", perm=(0, 2, 1)),
        _node("Conv", ("columns", "kernel", "bias"), "found", kernel_shape=(4,), pads=(1, 2)),
        _node("Transpose", ("found",), "classes", perm=(0, 2, 1)),
    ]
    tensors = [_tensor(name, value) for name, value in (("kinds", kinds), ("kernel", kernel), ("bias", bias))]
    inputs = [_value("units", INT64, ("B", "N")), _value("features", FLOAT, ("B", "N", 1))]
    outputs = [_value("classes", FLOAT, ("B", "N", CLASSES))]
    parts = ((1, nodes), (5, tensors), (11, inputs), (12, outputs))
    return field(2, "sentences") + b"".join(field(number, one) for number, group in parts for one in group)


def _node(kind: str, inputs: Iterable[str], output: str, **options: tuple[int, ...]) -> bytes:
    named = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind)
    # AttributeProto: name, ints, type (INTS)
    lists = (field(1, key) + b"".join(field(8, one) for one in row) + field(20, 7) for key, row in options.items())
    return named + b"".join(field(5, one) for one in lists)


def _tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    sizes = b"".join(field(1, size) for size in value.shape)
    return sizes + field(2, FLOAT) + field(8, name) + field(9, value.astype("<f4").tobytes())


def _value(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    sizes = (field(1, field(2 if isinstance(size, str) else 1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, b"".join(sizes))))
