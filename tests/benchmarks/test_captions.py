"""The program that measures captions: a row is trained, measured, and found again; memory and features are real."""

import argparse

import pytest

from tests.benchmarks.programs import load


@pytest.fixture(scope="module")
def captions():
    return load("captions")


def test_a_row_of_the_picturebook_is_trained_and_measured(captions, tmp_path):
    asked = argparse.Namespace(out=tmp_path, steps=2, minutes=None, scenes=120, size=6, beam=1)
    row = captions.picturebook_row(asked, "fr", "none")
    assert row["attention"] == "none"
    assert row["pointing"] == 0.0
    assert set(row["exact by things"]) <= {1, 2, 3, 4}


def test_stored_features_are_timed_beside_the_bare_pass(captions, tmp_path, capsys):
    captions.features(argparse.Namespace(out=tmp_path, size=5))
    assert '"share"' in capsys.readouterr().out
