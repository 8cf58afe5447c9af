"""What the studio tells of a run's attention: every part has its name and its formula."""

import pytest

from jumok.attention.catalog import MECHANISMS, NORMALISERS, SCOPES, SCORES
from jumok.config import resolve
from jumok.studio.runs import describe_mechanism


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_mechanism_is_told_by_its_parts(name: str):
    told = describe_mechanism(resolve({"model.decoder.attention": name}).model)
    assert told is not None
    assert told.score in SCORES
    assert told.scope in SCOPES
    assert told.align in NORMALISERS
    for one in told.formulas.values():
        assert one.plain not in ("", "None")


@pytest.mark.parametrize("key", ["normalise", "align"])
def test_a_chosen_normaliser_is_told(key: str):
    told = describe_mechanism(resolve({}, [f"model.decoder.attention_options.{key}=sparsemax"]).model)
    assert told is not None
    assert told.align == "sparsemax"
    assert told.formulas["align"].plain == NORMALISERS["sparsemax"].formula
    assert told.options == {}


def test_a_temperature_is_in_the_formula_where_there_is_one():
    plain, hot = (
        describe_mechanism(resolve({"model.decoder.attention_options": options}).model)
        for options in ({}, {"temperature": 2.0})
    )
    assert plain is not None
    assert hot is not None
    assert "τ" not in plain.formulas["align"].plain
    assert "τ" in hot.formulas["align"].plain
