"""The bound for what a model of float32 writes lets rounding pass and nothing else."""

import pytest
import torch

from jumok.decoding.options import Options
from jumok.tasks.translation.model import load
from tests.decoding.exact import exact_outcomes
from tests.decoding.tiny_run import DEV
from tests.rounding import assert_rounded


@pytest.mark.parametrize("kind", ["bahdanau", "luong", "transformer", "none"])
def test_rounding_passes_and_a_thousandth_does_not(runs, kind):
    translator = load(runs[kind])
    found = translator.translate([source for source, _, _ in DEV[:3]], options=Options(max_length=9, attention=True))
    for one, exact in zip(found, exact_outcomes(translator.model, found), strict=True):
        cross = [torch.from_numpy(layer) for layer in one.attention.cross]
        exact.assert_log_probs(one.token_log_probs)
        exact.assert_sum(one.log_prob)
        assert_rounded(cross, exact.cross)
        with pytest.raises(AssertionError, match="rounding errors"):
            exact.assert_log_probs([1.001 * log_prob for log_prob in one.token_log_probs])
        with pytest.raises(AssertionError, match="rounding errors"):
            exact.assert_sum(1.001 * one.log_prob)
        for layer, expected in zip(cross, exact.cross, strict=True):
            with pytest.raises(AssertionError, match="rounding errors"):
                assert_rounded([1.001 * layer], [expected])
