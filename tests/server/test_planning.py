"""HTML and long texts as sentences with their tags: nothing is lost, and what was well-formed stays so."""

import re
import time
import unicodedata
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jumok.decoding.options import Options
from jumok.server.batcher import Versioned
from jumok.server.planning import Planned, calm, plan
from jumok.server.runs import served_runs
from jumok.server.service import Todo, Wish, complete, finish_one, prepare
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
        if name in ("br", "img", "input"):
            continue
        if not close:
            depth.append(name)
        elif not depth or depth.pop() != name:
            return False
    return not depth


KEPT = "<u class='notranslate'>Kl. Mn</u>"
WORDS = st.sampled_from(["Ab cd. ", "Ef. ", "12. ", "*** ", "gh ", " ", ".", "", "ij", "\n", "<br>", "<img>", KEPT])
TREES = st.recursive(
    WORDS,
    lambda inside: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>",
        st.sampled_from(["b", "i", "a", "p", "div"]),
        st.lists(inside, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(TREES, max_size=4).map("".join))
@example("<b>gh <u class='notranslate'>Kl. Mn</u>12. </b>")  # a number that touches what is kept
@example("<i><b><i>Ab cd. </i></b></i>")  # an element in another of its name
def test_what_is_well_formed_stays_so_and_keeps_its_words(document):
    found = echoed(document)
    assert well_formed(found)
    words = ["".join(re.sub(r"<[^>]*>", "", text).split()) for text in (document, found)]
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
        # An inline pair that a line break or a kept element cuts is closed and opened again.
        ("<a href=x>Read the<br>manual</a> now", "<a href=x>Read the</a><br><a href=x>manual</a> now"),
        ("See <a href=x>the<br/>manual</a> now", "See <a href=x>the</a><br/><a href=x>manual</a> now"),
        ("See <a>the <b>old<br></b>manual</a>", "See <a>the <b>old</b></a><br><a>manual</a>"),
        ("See <a>the<script>1</script>manual</a>", "See <a>the</a><a><script>1</script>manual</a>"),
        ("<p><b>Ab:<br>cd</b> ef.</p>", "<p><b>Ab:</b><br><b>cd</b> ef.</p>"),
        ("Your <label>name <input></label> here", "Your <label>name</label> <label><input></label> here"),
        ("See <a><br>the manual</a>", "See <br><a>the manual</a>"),
        ("See <b>it<div>more</div>end</b> x", "See <b>it</b><b><div>more</div>end</b> x"),
        ("<a href=x><div>Card</div> more</a> tail", "<a href=x><div>Card</div> more</a> tail"),
        ("<label>Name <input></label> here", "<label>Name <input></label> here"),
        ("Ab <b>cd", "Ab <b>cd"),
        # Pairs that cross each other are what a browser makes of them.
        ("<p>Ab <b>cd <i>ef</b> gh</i> ij</p>", "<p>Ab <b>cd <i>ef</i></b> <i>gh</i> ij</p>"),
        ("<p><b>Ab <i>cd</b> ef.</i></p>", "<p><b>Ab <i>cd</i></b> <i>ef.</i></p>"),
        ("Ab <a>cd <b>ef <i>gh</a> ij</i></b> kl", "Ab <a>cd <b>ef <i>gh</i></b></a> <b><i>ij</i></b> kl"),
        ("cd</b> ef", "</b>cd ef"),
        # What stays as it is inside a sentence is a part of it.
        ('Click <i class="notranslate">Save</i> to go on.', 'Click <i class="notranslate">Save</i> to go on.'),
        ("Use <code translate=no>a&lt;b <b>c</b></code>, ok?", "Use <code translate=no>a&lt;b <b>c</b></code>, ok?"),
        ("Ab <b>cd <i translate=no>12</i></b> ef", "Ab <b>cd <i translate=no>12</i></b> ef"),
        ("Ab cd. <i translate=no>Ef. Gh.</i> Ij kl.", "Ab cd. <i translate=no>Ef. Gh.</i> Ij kl."),
        ("Ab <i translate=no><img></i> cd<i translate=no>", "Ab <i translate=no><img></i> cd <i translate=no>"),
        ("Ab<i translate=no>cd</i>ef <i translate=no>1</i>gh", "Ab<i translate=no>cd</i>ef <i translate=no>1</i>gh"),
        ("<p><i translate=no>Ab</i> 12</p>", "<p><i translate=no>Ab</i> 12</p>"),
        # White space of HTML is white space, whatever lines it makes.
        ("<p>\n  Read the\n  <b>long\n  manual</b>\n</p>", "<p>\n  Read the <b>long manual</b>\n</p>"),
        ("Ab cd.\n\n  Ef gh.\n", "Ab cd.\n\n  Ef gh.\n"),
    ],
)
def test_tags_stay_at_their_words(document, expected):
    assert echoed(document) == expected


@pytest.mark.parametrize(
    ("document", "lines"),
    [
        (
            "<p>Read the\nlong   manual\n\nof Mr.\nSmith. It is\tgood.</p>",
            ["Read the long manual of Mr. Smith.", "It is good."],
        ),
        ("<a href=x>Read <b>the</b><br>manual</a>", ["Read the", "manual"]),
        ('Click <span class="notranslate">Save as. Or not</span> to go on.', ["Click Save to go on."]),
        ("One <code translate=no>Two.</code> <i translate=no>Three</i> four.", ["One Two Three four."]),
        ("One. <i translate=no>Three.</i> <p translate=no>Four</p>", ["One."]),
    ],
)
def test_what_a_model_gets_of_html(document, lines):
    parts = plan(document, RUN, markup=True, keep=[])
    assert [one.line for part in parts if isinstance(part, Planned) for one in part.pieces] == lines


@pytest.mark.parametrize(
    ("document", "keep", "written", "linked", "expected"),
    [
        ("Click <i translate=no>Save &amp; go</i> now.", [], "Jetzt Speichern klicken.", "02 11 20",
         "Jetzt <i translate=no>Save &amp; go</i> klicken."),
        ("Click <i translate=no>Save</i> now.", [], "Save jetzt Save klicken.", "03 12 21",
         "jetzt <i translate=no>Save</i> klicken."),
        ("Save with <i translate=no>Save</i>.", [], "Save mit Save.", "00 11 22", "Save mit <i translate=no>Save</i>."),
        ("Save with <i translate=no>Save</i>.", ["Save"], "Sichern.", "00", "Save <i translate=no>Save</i>."),
        ("A <b>b <i translate=no>C</i></b> d", [], "a c b d", "00 12 21 33", "a <b><i translate=no>C</i> b</b> d"),
        ("Press <i translate=no>A</i> {n} {n}", [], "{n} {n} {n} ein", "03 22", "{n} {n} ein <i translate=no>A</i>"),
    ],
)  # fmt: skip
def test_kept_elements_and_pieces_take_the_place_of_their_words(document, keep, written, linked, expected):
    parts = plan(document, RUN, markup=True, keep=keep)
    (piece,) = [piece for part in parts if isinstance(part, Planned) for piece in part.pieces]
    assert finish_one(piece, written.split(), [(int(one[0]), int(one[1])) for one in linked.split()]) == expected


def test_thousands_of_nested_tags_are_no_trouble():
    document = "<b>" * 1400 + "Ab cd. " * 500 + "</b>" * 1400
    found = echoed(document)
    assert well_formed(found)
    assert len(found) < 20 * len(document)


def test_thousands_of_crossing_tags_are_no_trouble():
    document = "Ab " + "<b>" * 1000 + "<i>" * 1000 + "cd" + "</b> ef " * 1000 + "</i>" * 1000
    assert len(echoed(document)) < 25 * len(document)


def test_thousands_of_tags_that_are_never_closed_take_no_time():
    start = time.process_time()
    assert echoed("<b>" * 6600 + "Ab") == "<b>" * 6600 + "Ab"
    assert time.process_time() - start < 10  # a minute, if each tag copied those behind it


def test_line_breaks_in_thousands_of_tags_are_no_trouble():
    document = "<b>" * 1400 + "Ab cd.<br>" * 900 + "</b>" * 1400
    found = echoed(document)
    assert well_formed(found)
    assert len(found) < 25 * len(document)


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
