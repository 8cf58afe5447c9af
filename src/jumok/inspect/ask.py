"""One question, one explanation: which of the explainers answers a request."""

from jumok.errors import InputError
from jumok.inspect.generalise import generalise
from jumok.inspect.kernel_regression import explain_regression
from jumok.inspect.mechanism import Request, worked_example
from jumok.inspect.steps import Explanation

GENERALISE = ("generalise", "generalize", "일반화")


def explain_request(request: Request, lang: str = "en") -> Explanation:
    """The explanation of a mechanism, of the way from one query to Q, K and V (`generalise`), or the worked example."""
    vectors = (request.query, request.keys, request.values, request.mask, request.position)
    given = any(part is not None for part in vectors) or request.parameters or request.options or request.draw
    if request.name in GENERALISE:
        if given:
            raise InputError(
                "`jumok explain generalise` takes no vectors, and only the options --seed, --plot, --lang and --json."
            )
        return generalise(lang, request.chance)
    if not request.name:
        if given:
            raise InputError(
                "Vectors and options need a mechanism: `jumok explain NAME …`; `jumok mechanisms` lists them."
            )
        return worked_example(lang)
    return explain_regression(request, lang)
