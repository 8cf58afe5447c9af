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
