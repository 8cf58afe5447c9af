"""What the object of `jumok.load` says when it is called with the wrong thing: one sentence, and an error of ours."""

import math
import re

import numpy as np
import pytest

import jumok
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.options import Options, Sampling
from jumok.decoding.scoring import Scoring
from jumok.errors import InputError
from tests.decoding.tiny_run import make_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module", params=["torch", "fast"])
def model(folder, request):
    return jumok.load(folder, engine=request.param)


def refused(call, match):
    """An InputError of one sentence that says so."""
    with pytest.raises(InputError, match=match) as found:
        call()
    text = str(found.value)
    assert text.endswith(".")
    assert len(text.splitlines()) == 1
    assert not re.search(r"\. [A-Z]", text)


NOT_TEXTS = [
    (None, "not None"),
    (3, "not 3"),
    (b"bytes", "bytes"),
    (["one", None], "line 2 must be a text, not None"),
    (["one", b"two"], "line 2 must be a text, not bytes"),
    ([["one"]], "line 1 must be a text, not a list"),
    ({"one": "two"}, "not a dict"),
    ("half \ud800 of a pair", "lone surrogate"),
]


@pytest.mark.parametrize(("text", "match"), NOT_TEXTS)
def test_what_is_no_text_is_refused(model, text, match):
    refused(lambda: model.translate(text), match)
    refused(lambda: model.encode(text), match)


@pytest.mark.parametrize(("text", "match"), NOT_TEXTS)
def test_a_stream_is_of_texts(model, text, match):
    if isinstance(text, str):
        text = [text]
    refused(lambda: list(model.translate_stream(text)), match)


def test_a_stream_is_not_one_text(model):
    refused(lambda: list(model.translate_stream("one")), "such as a list of them, not 'one'")


def test_texts_of_any_sequence_are_translated(model):
    """Tuples, generators and numpy's strings are lists of texts too."""
    lines = ["Who sleeps?", "", "My cousin plays."]
    wanted = [one.text for one in model.translate(lines, beam=2)]
    for texts in (tuple(lines), iter(lines), np.array(lines)):
        assert [one.text for one in model.translate(texts, beam=2)] == wanted


@pytest.mark.parametrize("method", ["align", "score"])
@pytest.mark.parametrize(
    ("pairs", "match"),
    [
        (["ab"], r"pair 1 must be \(source, target\), two texts, not 'ab'"),
        ("ab", "not 'ab'"),
        (None, "not None"),
        (("a b", "c d"), "pair 1 must be"),
        ([("a", "b"), ("a", "b", "c")], "pair 2 must be"),
        ([("a", None)], "the target of pair 1 must be a text, not None"),
        ([(b"a", "b")], "the source of pair 1 must be a text, not bytes"),
    ],
)
def test_pairs_are_two_texts_each(model, method, pairs, match):
    refused(lambda: getattr(model, method)(pairs), match)


@pytest.mark.parametrize(
    ("choices", "match"),
    [
        ({"beam": 2.5}, "the beam must be a whole number, not 2.5"),
        ({"beam": 0}, "the beam must be from 1 to 1000, not 0"),
        ({"beam": True}, "the beam must be a whole number, not True"),
        ({"beam": "5"}, "the beam must be a whole number, not '5'"),
        ({"beam": 10**9}, "the beam must be from 1 to 1000"),
        ({"beam": None}, "the beam must be a whole number, not None"),
        ({"nbest": 0}, "nbest must be from 1 to 1000, not 0"),
        ({"nbest": 1.0}, "nbest must be a whole number, not 1.0"),
        ({"forbid": "word"}, r"forbid must be a list of words, such as \['word'\], not 'word'"),
        ({"require": "word"}, "require must be a list of words"),
        ({"require": [None]}, "each word of require must be a text, not None"),
        ({"prefix": 3}, "the prefix must be a text, not 3"),
        ({"prefix": b"le"}, "the prefix must be a text, not bytes"),
        ({"options": {"beam": 3}}, r"options must be made with Options\(…\), not a dict"),
    ],
)
def test_choices_are_checked(model, choices, match):
    refused(lambda: model.translate("Who sleeps?", **choices), match)


BAD_NUMBERS = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_numbers_must_be_finite(value):
    for make in (
        lambda: Scoring(alpha=value),
        lambda: Scoring(coverage=value),
        lambda: Sampling(temperature=value),
        lambda: Sampling(top_p=value),
    ):
        refused(make, "must be finite")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Scoring(alpha="0.6"), "alpha must be a number, not '0.6'"),
        (lambda: Scoring(alpha=1e300), "alpha must be from -10 to 10"),
        (lambda: Scoring(coverage=-1), "from 0 to"),
        (lambda: Sampling(temperature=0), "the temperature must be from"),
        (lambda: Sampling(temperature=1e-300), "the temperature must be from"),
        (lambda: Sampling(top_k=1.5), "top-k must be a whole number"),
        (lambda: Sampling(seed=10**30), "the seed must be from"),
        (lambda: Options(max_length=0), "max_length must be from 1"),
        (lambda: Options(max_length=10.0), "max_length must be a whole number"),
        (lambda: Options(min_length=-1), "min_length must be from 0"),
        (lambda: Options(budget=0), "budget must be from 1"),
        (lambda: Options(unknown="no"), "unknown must be copy, keep or forbid, not 'no'"),
    ],
)
def test_options_are_checked(make, match):
    refused(make, match)


@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_a_threshold_must_be_finite(model, value):
    refused(lambda: model.align([("Who sleeps?", "Qui dort ?")], threshold=value), "must be finite")


def test_an_alignment_is_read_where_there_is_one(model):
    pairs = [("Who sleeps?", "Qui dort ?")]
    refused(lambda: model.align(pairs, choice=AlignmentChoice(layer=4)), "layer 4 does not exist")
    refused(lambda: model.align(pairs, choice=AlignmentChoice(heads=(7,))), r"heads \(7,\) do not exist")
    refused(lambda: model.align(pairs, choice=AlignmentChoice(heads=())), r"heads \(\) do not exist")
    refused(lambda: model.align(pairs, choice=0), "choice must be an AlignmentChoice, not 0")


@pytest.mark.parametrize(
    ("arguments", "choices", "match"),
    [
        ((None,), {}, "a run folder is named by a text or a Path, not by None"),
        ((b"runs/demo",), {}, "not by b'runs/demo'"),
        ((), {"ensemble": "runs/other"}, "ensemble must be a list"),
        ((), {"ensemble": [None]}, "not by None"),
        ((), {"device": 0}, "the device must be a text"),
        ((), {"workers": -1, "engine": "fast"}, "workers must be from 0"),
        ((), {"workers": 1.5, "engine": "fast"}, "workers must be a whole number"),
        ((), {"workers": 10**6, "engine": "fast"}, "workers must be from 0"),
        ((), {"engine": None}, "there is no engine 'None'"),
    ],
)
def test_loading_is_checked(folder, arguments, choices, match):
    refused(lambda: jumok.load(*(arguments or (folder,)), **choices), match)
