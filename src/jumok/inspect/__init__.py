"""The arithmetic of attention, step by step, in numbers and words.

from jumok.inspect import Request, explain, plain
print(plain(explain(Request("bahdanau"), lang="ko")))
"""

from jumok.inspect.ask import explain_request
from jumok.inspect.examples import worked_scores
from jumok.inspect.generalise import generalise
from jumok.inspect.kernel_regression import explain_regression
from jumok.inspect.mechanism import Request, explain, worked_example
from jumok.inspect.numbers import parse_mask, parse_rows
from jumok.inspect.picture import draw
from jumok.inspect.render import plain, show_on, table
from jumok.inspect.steps import Explanation, Look, Step
from jumok.inspect.texts import LANGUAGES, Texts
from jumok.inspect.worked import WorkedScore, worked_score
from jumok.language import language_of_locale

__all__ = [
    "LANGUAGES",
    "Explanation",
    "Look",
    "Request",
    "Step",
    "Texts",
    "WorkedScore",
    "draw",
    "explain",
    "explain_regression",
    "explain_request",
    "generalise",
    "language_of_locale",
    "parse_mask",
    "parse_rows",
    "plain",
    "show_on",
    "table",
    "worked_example",
    "worked_score",
    "worked_scores",
]
