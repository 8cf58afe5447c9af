"""Splitting and joining, tags and protected pieces: laws over any text and any alignment."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jumok.server import html, pieces
from jumok.server.pieces import Span, copies_of, fixed_spans, protected, restore
from jumok.server.projection import Tag, balanced, word_spans, wrap
from jumok.server.sentences import split

WORDS = ["w0", "w1", "w2", "w3", "w4"]
SENTENCE = "a b c d e f g"


@given(
    st.text(st.sampled_from("aZ가나.!? \n\r\t,;…\u2028\u200b\u3000\"')0"), max_size=80), st.sampled_from(["en", "ko"])
)
def test_what_is_split_is_joined_exactly(text, language):
    parts = split(text, language, longest=17)
    assert parts.join(parts.sentences) == text
    assert all(one.strip() == one and 0 < len(one) <= 17 for one in parts.sentences)


@given(
    st.text(st.sampled_from("aZ가.!? ,\u00a0\u200b0"), max_size=40).map(str.strip), st.sampled_from(["en", "de", "ko"])
)
def test_a_text_is_split_alike_whether_more_follows_or_not(text, language):
    assert split(text, language).sentences == split(text + "\n\n", language).sentences


PIECES = ["a", "7", "3.5", "{x}", "%s", "%", "@", "a@b.de", "https://a.b", "www.a.b", "www.", ":", "é", ".", "٣"]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
def test_what_stays_is_found_in_every_sentence_that_has_it(sentence):
    assert fixed_spans(sentence) == fixed_spans(sentence, ["not in it"])


def test_sentences_end_where_people_end_them():
    assert split("Hello Mr. Smith. How are you?\n\n네, 3.5 kg입니다! 정말요?", "en").sentences == (
        "Hello Mr. Smith.",
        "How are you?",
        "네, 3.5 kg입니다!",
        "정말요?",
    )


def test_what_the_splitter_panics_over_is_taken_all_the_same():
    for text in ("A secret\u00a0. Next one.", "Z\u2028.", "Z\t\u2009.'", "Z\u3000."):
        parts = split(text, "en")
        assert parts.join(parts.sentences) == text
    assert split("One two!\u00a0Three.", "en") == (("One two!", "Three."), ("", "\u00a0", ""))


def test_what_has_no_letter_is_not_given_to_a_model():
    assert split("***\n1. One.\n2) ...\n\U0001f600", "en") == (("One.",), ("***\n1. ", "\n2) ...\n\U0001f600"))


tags = st.lists(
    st.builds(
        lambda at, name, kind: Tag(at, f"</{name}>" if kind == "close" else f"<{name}>", name, kind),
        st.integers(0, len(SENTENCE)),
        st.sampled_from("bi"),
        st.sampled_from(["open", "close"]),
    ),
    max_size=8,
).map(lambda found: sorted(found, key=lambda tag: tag.at))
links = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=9)


@given(tags, links)
def test_tags_are_well_formed_whatever_the_alignment_says(found, aligned):
    before, elements, after = balanced(found)
    drawn = wrap(SENTENCE, elements, WORDS, aligned)
    depth: list[str] = []
    for close, name in re.findall(r"<(/?)(\w)>", drawn):
        if close:
            assert depth.pop() == name
        else:
            depth.append(name)
    assert not depth
    assert re.sub(r"<[^>]*>", " ", drawn).split() == WORDS
    assert len(re.findall("<", drawn)) + len(before) + len(after) == len(found)


def test_a_pair_surrounds_the_words_it_surrounded():
    tagged = [Tag(2, "<b>", "b", "open"), Tag(3, "</b>", "b", "close")]
    _, elements, _ = balanced(tagged)
    assert wrap("a b c", elements, ["C", "B", "A"], [(0, 2), (1, 1), (2, 0)]) == "C <b>B</b> A"


@given(links)
def test_each_protected_piece_comes_once(aligned):
    sentence = "a {x} b https://example.org/q?a=1, c"
    spans = protected(sentence, keep=["c"])
    assert [one.text for one in spans] == ["{x}", "https://example.org/q?a=1", "c"]
    written = " ".join(restore(sentence, spans, WORDS, aligned))
    assert written.count("{x}") == written.count("https://example.org/q?a=1") == 1
    assert word_spans(sentence)[1] == (2, 5)


@pytest.mark.parametrize(
    ("sentence", "keep", "written", "linked", "expected"),
    [
        ("from 5 to 5 mm", [], "von 5 bis mm", "00 11 22 43", "von 5 bis 5 mm"),
        ("from 5 to 5 mm", [], "von fünf bis 5 mm", "00 11 22 33 44", "von 5 bis 5 mm"),
        ("from 5 to 5 mm", [], "von 5 bis 5 mm", "", "von 5 bis 5 mm"),
        ("{n} of {n} files", [], "{n} von Dateien", "00 11 32", "{n} von {n} Dateien"),
        ("{n} files were found.", [], "{n} Dateien {n} gefunden.", "00 11 33", "{n} Dateien gefunden."),
        ("found: {n}.", [], "{n} gefunden: {n}.", "01 12", "gefunden: {n}."),
        ("{n} found.", [], "{n} gefunden {n}.", "00 11", "{n} gefunden."),
        ("three cats, 3 dogs", [], "3 Katzen, 3 Hunde", "00 11 22 33", "3 Katzen, 3 Hunde"),
        ("page 3 of 13", [], "Seite drei von 13", "00 11 22 33", "Seite 3 von 13"),
        ("page 3 of 13", [], "Seite von 13", "00 21 32", "Seite 3 von 13"),
        ("3 and 3.5 km", [], "und 3.5 km", "10 21 32", "3 und 3.5 km"),
        ("Go is no Google", ["Go"], "Geh ist kein Google", "00 11 22 33", "Go ist kein Google"),
        ("Save the Save", ["Save"], "Save Save Save das Save", "00 13 24", "Save das Save"),
        ("New York is old", ["New York"], "New York ist New York alt", "00 11 22 35", "New York ist alt"),
        ("now {a} and {b}", [], "x.", "00", "x {a} {b}."),
        ("{a} {b} now", [], "x", "20", "{a} {b} x"),
        ("now {a} and {b}", [], "", "", "{a} {b}"),
    ],
)
def test_each_piece_comes_as_often_as_it_was(sentence, keep, written, linked, expected):
    aligned = [(int(one[0]), int(one[1])) for one in linked.split()]
    restored = restore(sentence, fixed_spans(sentence, keep), written.split(), aligned)
    assert " ".join(filter(None, restored)) == expected


COPIED = st.lists(st.sampled_from(["x", "{n}", "{n}.", "({n})", "5", "55", "5mm", "New", "York", "York,", "New York"]))


@given(COPIED, COPIED, links)
@example(["New York"], ["New York", "New", "New York", "York"], [])
def test_pieces_are_counted_whatever_the_model_copied(source, written, aligned):
    sentence, words = " ".join(source), " ".join(written).split()
    spans = fixed_spans(sentence, ["New York"])
    restored = restore(sentence, spans, words, [(s, t) for s, t in aligned if t < len(words)])
    assert len(restored) == max(len(words), bool(spans))
    found = copies_of(list(filter(None, restored)), {one.text for one in spans})
    for text, copies in found.items():
        wanted = sum(one.text == text for one in spans)
        assert len(copies) == wanted or (text[0] == "5" and len(copies) > wanted)


@pytest.mark.parametrize(
    ("sentence", "keep", "kept"),
    [
        ("Google and Go, Go_2 or Go2", "Go", [11]),
        ("서울에서 서울로", "서울", [0, 5]),
        ("Google을 본다", "Google", [0]),
        ("İGo Goé go", "Go", []),
    ],
)
def test_what_is_kept_is_no_part_of_another_word(sentence, keep, kept):
    assert protected(sentence, [keep]) == [Span(at, at + len(keep), keep) for at in kept]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("Open ({n}) now", ["({n})"]),
        ("save file_{n}.txt here. Then", ["file_{n}.txt"]),
        ("{a}-{b} und {c}{d}", ["{a}-{b}", "{c}{d}"]),
        ("see (https://a.b/c), ok", ["(https://a.b/c)"]),
        ('"{a}"{b}"', ['"{a}"{b}']),
        ("{name}님이", ["{name}"]),
        ("파일 %s을 %d개의 %1$s로", ["%s", "%d", "%1$s"]),
        ("%@ and %.2f, %5d, %-10s or %ld", ["%@", "%.2f", "%5d", "%-10s", "%ld"]),
        ("%1 of %2, %{count} and #{n}", ["%1", "%2", "%{count}", "#{n}"]),
        ("100% sure, 5.5% of it is 100%입니다", []),
        (
            "https://en.wikipedia.org/wiki/Head_(linguistics) or https://a.b/?x[1].",
            ["https://en.wikipedia.org/wiki/Head_(linguistics)", "https://a.b/?x[1]"],
        ),
        ("자세한 것은 https://a.b/c에서, 메일은 a@b.de으로", ["https://a.b/c", "a@b.de"]),
        ("(www.a.b)를 https://ko.wikipedia.org/wiki/한국어", ["(www.a.b)", "https://ko.wikipedia.org/wiki/한국어"]),
    ],
)
def test_what_a_placeholder_touches_comes_with_it(sentence, kept):
    assert [one.text for one in protected(sentence)] == kept


def test_numbers_are_found_before_counters():
    assert [one.text for one in fixed_spans("제3회 대회의 책 2권, 10시 30분, 3D v4 é5 6é")] == ["3", "2", "10", "30"]


@pytest.mark.parametrize("keep", [" ", "\u00a0", "\n", " reads ", "reads\t"])
def test_white_space_around_what_is_kept_does_not_count(keep):
    words = restore("who reads it", fixed_spans("who reads it", [keep]), ["qui", "le", "lit"], [(0, 0), (1, 2), (2, 1)])
    assert words == ["qui", "le", keep.strip() or "lit"]


@given(st.lists(st.sampled_from(["{a}", "(", ")", '"', "x", "-", ".", " ", "%s", "{{b}}", "님"]), max_size=12))
def test_no_placeholder_is_lost_beside_another(parts):
    sentence = "".join(parts)
    spans = protected(sentence)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    covered = {place for one in spans for place in range(one.start, one.end)}
    assert all(covered.issuperset(range(*match.span())) for match in pieces.PIECES.finditer(sentence))


def test_html_is_taken_apart_without_loss():
    document = (
        "<ul><li>One &amp; two</li><!-- no --><li translate='no'>X</li></ul><script>if (a<b) {}</script>tail <b>x</b>"
    )
    parts = html.blocks(document)
    assert [one.text for one in parts if one.text is not None] == ["One & two", "tail x"]
    kept = "".join(one.markup for one in parts)
    assert "<li translate='no'>X</li>" in kept
    assert "<script>if (a<b) {}</script>" in kept
