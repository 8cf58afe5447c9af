"""HTML and long texts as sentences with their tags: nothing is lost, and what was well-formed stays so."""

import re
import unicodedata
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.decoding.options import Options
from jumok.server.batcher import Versioned
from jumok.server.planning import Planned, calm, plan
from jumok.server.runs import served_runs
from jumok.server.service import Todo, Wish, complete, prepare
from jumok.server.work import Plain
from tests.server.process import TRAINED

RUN = served_runs([TRAINED / "rnnsearch"])["rnnsearch"]


def echoed(document: str) -> str:
    """A document whose sentences are translated to themselves."""
    parts = plan(document, RUN, markup=True, keep=[])
    pieces = [piece for part in parts if isinstance(part, Planned) for piece in part.pieces]
    found = [Versioned(Plain(0.0, (piece.line,)), "") for piece in pieces]
    todo = Todo([parts], pieces, [piece.line for piece in pieces], [Options()] * len(pieces))
    return complete(todo, found, "run", Wish(format="html"))[0].text


def well_formed(document: str) -> bool:
    """Whether every tag is closed in its turn."""
    depth: list[str] = []
    for close, name in re.findall(r"<(/?)(\w+)[^>]*>", document):
        if not close:
            depth.append(name)
        elif not depth or depth.pop() != name:
            return False
    return not depth


WORDS = st.sampled_from(["Ab cd. ", "Ef. ", "12. ", "*** ", "gh ", " ", ".", "", "ij"])
TREES = st.recursive(
    WORDS,
    lambda inside: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        st.sampled_from(["b", "i", "a", "p"]),
        st.lists(inside, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(TREES, max_size=4).map("".join))
def test_what_is_well_formed_stays_so_and_keeps_its_words(document):
    found = echoed(document)
    assert well_formed(found)
    words = [re.sub(r"<[^>]*>", "", text).replace(" ", "") for text in (document, found)]
    assert words[0] == words[1]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('<a title="x > y">Ab</a> cd', '<a title="x > y">Ab</a> cd'),
        ("<a title='<b>' href=x>Ab</a> cd", "<a title='<b>' href=x>Ab</a> cd"),
        ("Ab <b>cd ef. Gh ij</b> kl.", "Ab <b>cd ef.</b> <b>Gh ij</b> kl."),
        ("Ab cd.<b></b> Ef gh.", "Ab cd. <b></b> Ef gh."),
        ("Ab cd. <b>12</b>. Ef gh.", "Ab cd. <b>12</b>. Ef gh."),
        ("<p>a</p> <b>&nbsp;</b> <i>* * *</i><hr>", "<p>a</p> <b>&nbsp;</b> <i>* * *</i><hr>"),
    ],
)
def test_tags_stay_at_their_words(document, expected):
    assert echoed(document) == expected


def test_thousands_of_nested_tags_are_no_trouble():
    document = "<b>" * 1400 + "Ab cd. " * 500 + "</b>" * 1400
    found = echoed(document)
    assert well_formed(found)
    assert len(found) < 20 * len(document)


def test_sentences_longer_than_the_model_reads_are_cut_at_clauses():
    clauses = [f"two women wrote a book and slept at home {number}" for number in range(30)]
    text = ", ".join(clauses) + "."
    (planned,) = plan(text, RUN, markup=False, keep=[])
    assert isinstance(planned, Planned)
    assert planned.split.join(planned.split.sentences) == text
    assert len(planned.pieces) > 3
    assert all(len(RUN.tokenizer.encode(one.line)) <= RUN.longest for one in planned.pieces)
    assert all(one.sentence.endswith((",", ".")) for one in planned.pieces)
    whole = replace(RUN, longest=10_000)
    (kept,) = plan(text[:900], whole, markup=False, keep=[])
    assert isinstance(kept, Planned)
    assert len(kept.pieces) == 1


def test_capitals_become_what_the_vocabulary_knows():
    class Counting:
        """A vocabulary of whole words; anything else is written by its letters."""

        def __init__(self, *words: str) -> None:
            self.words = words

        def encode(self, text: str) -> list[int]:
            numbers = count()
            return [next(numbers) for _ in ([text] if text in self.words else text)]

    known = Counting("NATO", "book", "Paris")
    assert [calm(word, known) for word in ("NATO", "BOOK", "PARIS", "XYZ", "Book")] == [  # type: ignore[arg-type]
        "NATO", "book", "Paris", "XYZ", "Book",
    ]  # fmt: skip
    assert calm("NO SMOKING HERE!", known) == "No smoking here!"  # type: ignore[arg-type]


def test_a_term_with_a_star_is_found_before_particles():
    text = "선생님께서는 책을 읽으세요."
    wish = Wish(glossary={"선생님*": "Teacher", "책": "Book", "읽으세요": "Read"})
    for written in (text, unicodedata.normalize("NFD", text)):
        assert prepare([written], RUN, wish).options[0].require == ("Teacher", "Read")
