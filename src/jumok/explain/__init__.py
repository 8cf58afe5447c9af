"""The arithmetic of attention, step by step, in numbers and words.

from jumok.explain import Request, explain, plain
print(plain(explain(Request("bahdanau"), lang="ko")))
"""

from jumok.explain.generalise import generalise
from jumok.explain.kernel_regression import explain_regression
from jumok.explain.mechanism import Request, explain, worked_example
from jumok.explain.numbers import parse_mask, parse_rows
from jumok.explain.picture import draw
from jumok.explain.render import plain, show_on, table
from jumok.explain.steps import Explanation, Look, Step
from jumok.explain.texts import LANGUAGES, Texts, language_of_locale

__all__ = [
    "LANGUAGES",
    "Explanation",
    "Look",
    "Request",
    "Step",
    "Texts",
    "draw",
    "explain",
    "explain_regression",
    "generalise",
    "language_of_locale",
    "parse_mask",
    "parse_rows",
    "plain",
    "show_on",
    "table",
    "worked_example",
]
