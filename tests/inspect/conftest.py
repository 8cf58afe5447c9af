"""Inspectors of small runs of every kind."""

import pytest

from jumok.decoding.run import load_run
from jumok.inspect.inspector import Inspector
from tests.decoding.conftest import KINDS
from tests.decoding.tiny_run import make_run


@pytest.fixture(scope="session")
def inspectors(tmp_path_factory) -> dict[str, Inspector]:
    """An inspector of each kind, in float64: what is true of a model does not depend on the type."""
    place = tmp_path_factory.mktemp("inspected")
    found = {}
    for name, (overrides, kind) in KINDS.items():
        folder = make_run(place / name, *overrides, kind=kind, size=420 if kind == "bpe" else None)
        found[name] = Inspector(load_run(folder))
        found[name].model.double()
    return found
