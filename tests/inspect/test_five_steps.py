"""The numbers behind a word of a translation: they add up, and Python is told them as the command line is."""

import numpy as np
import pytest

from jumok.errors import InputError
from jumok.inspect.five_steps import chosen_head, explain_word
from jumok.inspect.inspector import Inspector
from jumok.inspect.what_if import Plan
from jumok.tasks.translation.model import load
from tests.decoding.tiny_run import in_float64
from tests.test_cli_translate import LINES, RUN, TRANSFORMER


def test_five_steps_add_up():
    for run in (RUN, TRANSFORMER):
        translator = in_float64(load(run))
        one = translator.translate(LINES[0])
        inspector = Inspector(translator.readable.run)
        step = inspector.step(Plan(inspector.read(LINES[0])), one.ids[:1])
        head = chosen_head(step, translator.choice.layer, translator.choice.heads)
        np.testing.assert_allclose(head.alignment_SD.sum(0), head.context_D, atol=1e-9)
        exp = np.exp(head.scores_S - head.scores_S.max())
        np.testing.assert_allclose(exp / exp.sum(), head.weights_S, atol=1e-9)


@pytest.mark.parametrize("run", [RUN, TRANSFORMER])
def test_a_word_is_explained_in_text(run):
    model = load(run)
    found = model.translate(LINES[0])
    told = explain_word(model, found, 0)
    assert all(part in told for part in ("scores e_i", "context c =", "log p ="))
    with pytest.raises(InputError, match="no target word 99"):
        explain_word(model, found, 99)
