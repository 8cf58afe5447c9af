"""Runs that several tests share."""

import pytest

from jumok.decoding.translator import Translator
from jumok.tasks.translation.model import load
from tests.decoding.tiny_run import in_float64, make_run

KINDS = {
    "bahdanau": ((), "words"),
    "luong": (("model.preset=luong", "model.decoder.layers=2"), "words"),
    "transformer": (("model.preset=transformer",), "bpe"),
    "none": (("model.preset=seq2seq",), "characters"),
}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A run folder of each kind."""
    place = tmp_path_factory.mktemp("runs")
    return {
        name: make_run(place / name, *overrides, kind=kind, size=420 if kind == "bpe" else None)
        for name, (overrides, kind) in KINDS.items()
    }


@pytest.fixture(scope="session")
def translators(runs) -> dict[str, Translator]:
    """A translator of each kind, in float64: what is true of decoding does not depend on the type."""
    return {name: in_float64(load(folder)) for name, folder in runs.items()}
