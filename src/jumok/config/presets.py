"""Presets: ordinary keys under a name people know; a file and the command line may set each again."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "seq2seq": {
        "model.encoder.bidirectional": False,
        "model.encoder.cell": "lstm",
        "model.decoder.cell": "lstm",
        "model.decoder.attention": "none",
    },
    "rnnsearch": {
        "model.encoder.cell": "gru",
        "model.decoder.cell": "gru",
        "model.decoder.attention": "bahdanau",
        "model.decoder.order": "before",
    },
    "luong": {
        "model.encoder.cell": "lstm",
        "model.decoder.cell": "lstm",
        "model.decoder.attention": "luong-general",
        "model.decoder.order": "after",
        "model.decoder.input_feeding": True,
        "model.decoder.readout": False,
    },
    "transformer": {
        "model.encoder.kind": "transformer",
        "model.decoder.kind": "transformer",
        "model.decoder.attention": "transformer",
        "model.encoder.layers": 3,
        "model.decoder.layers": 3,
        "train.learning_rate": 0.001,
        "train.schedule": "inverse_sqrt",
        "train.warmup": 500,
    },
}

# A summary is written in the words of its text: one vocabulary, one embedding, and a pointer that copies.
_SUMMARY = {
    "text.joint": True,
    "model.tie_source": True,
    "model.head.kind": "pointer",
    "data.max_length": 400,
    "data.max_ratio": 300.0,
}
SUMMARY_PRESETS: dict[str, dict[str, Any]] = {
    name: {**keys, **_SUMMARY} for name, keys in PRESETS.items() if keys.get("model.decoder.attention") != "none"
}
