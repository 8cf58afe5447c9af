"""Checks before training: what goes, what stays, what is refused, and that nothing half-written remains."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.data import prepare
from jumok.data.checks import CorpusReport, Rules
from jumok.data.corpus import GeneratedCorpus, Pair, ParallelCorpus, Weighted, open_corpus
from jumok.data.prepare import CheckedText, check, prepare_text
from jumok.errors import DataError
from jumok.text import normalise


def corpus(rows: list[tuple[str, str]], name: str = "made") -> ParallelCorpus:
    return GeneratedCorpus(name, repr(rows), lambda: [Pair(s, t, n) for n, (s, t) in enumerate(rows, 1)])


def many(count: int, start: int = 0) -> list[tuple[str, str]]:
    return [(f"source number {i}", f"target number {i}") for i in range(start, start + count)]


def prepared(rows: list[tuple[str, str]], cache: Path, **options: object) -> CheckedText:
    return prepare_text([Weighted(corpus(rows))], cache, **options)  # type: ignore[arg-type]


def pairs(text: CheckedText) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in text.train]


def test_what_is_dropped_is_said(tmp_path: Path) -> None:
    good = many(40)
    bad = [
        ("", "x"),
        ("x", " \u3000"),
        ("a", "b " * 200),
        ("word " * 301, "word " * 301),
        good[3],
        (" source  number\t3", "target number 3"),
        ("in the test", "anything"),
    ]
    test = corpus([("in the  test", "something")], "test")
    dev = corpus([("for validation", "x")], "dev")
    text = prepared([*good, *bad, ("two\u2028lines", "in one")], tmp_path, dev=dev, test=test)
    report = text.reports[-1]
    assert pairs(text) == [*good, ("two lines", "in one")]
    assert (report.read, report.kept) == (48, 41)
    assert report.dropped == {
        "empty": 2,
        "absurd length ratio": 1,
        "overlong": 1,
        "duplicate": 2,
        "source stands in the validation or test text": 1,
    }
    assert report.noticed == {"stray line break inside a line, read as a space": 1}
    assert report.examples["empty"] == ["made:41 (one side)", "made:42 (one side)"]
    assert report.examples["duplicate"] == ["made:45"]
    assert "made: 41 of 48 pairs kept" in str(text)
    assert "dropped 2: duplicate, as in made:45" in str(text)


def test_rules_can_be_switched_off(tmp_path: Path) -> None:
    rows = [*many(40), ("a", "b " * 200), ("c", "d"), ("c", "d")]
    rules = Rules(max_ratio=None, max_words=None, max_characters=None, drop_duplicates=False)
    text = prepared(rows, tmp_path, dev=corpus([("x", "y")]), rules=rules)
    assert len(text.train) == 43
    assert text.reports[-1].dropped == {}


def test_test_text_is_never_made_easier(tmp_path: Path) -> None:
    hard = [("a", "b " * 200), ("c", "d"), ("c", "d")]
    text = prepared(many(5), tmp_path, dev=corpus(hard, "dev"))
    assert len(text.dev) == 3


def test_bad_utf8_is_dropped_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(b"".join(b"line %d\n" % i for i in range(30)) + b"\xff\xfe\xfd\n")
    (tmp_path / "a.ko").write_bytes(b"".join(b"line %d\n" % i for i in range(31)))
    text = prepare_text([Weighted(open_corpus(tmp_path / "a.en", tmp_path / "a.ko"))], tmp_path / "cache")
    report = text.reports[0]
    assert report.dropped == {"bad UTF-8": 1}
    assert report.examples["bad UTF-8"] == [f"{tmp_path / 'a.en'}:31 (byte 0xff at column 1)"]


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes("école été\n".encode("latin-1") * 30)
    (tmp_path / "a.ko").write_bytes(b"x\n" * 30)
    with pytest.raises(DataError, match=r"30 of 30 lines .* bad UTF-8, first at .*a\.en:1"):
        prepare_text([Weighted(open_corpus(tmp_path / "a.en", tmp_path / "a.ko"))], tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("rows", [[], [("", "")], [("a", "b")]])
def test_corpora_with_nothing_left_are_refused(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    with pytest.raises(DataError, match="no pair is left"):
        prepared(rows, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_sides_that_do_not_match_are_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("a\nb\n")
    (tmp_path / "a.ko").write_text("x\n")
    with pytest.raises(DataError, match="has 2 lines but"):
        prepare_text([Weighted(open_corpus(tmp_path / "a.en", tmp_path / "a.ko"))], tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("count", [2, 7, 100, 1009])
def test_the_held_out_part(tmp_path: Path, count: int) -> None:
    rows = many(count)
    text = prepared(rows, tmp_path, held_out=37)
    held = [(pair.source, pair.target) for pair in text.dev]
    assert len(held) == min(37, max(1, count // 20))
    assert sorted([*held, *pairs(text)]) == sorted(rows)
    assert text.reports[0].held_out == len(held)
    # It is decided by the sentences, not by their order or the place of the cache.
    again = prepared(rows[::-1], tmp_path / "other", held_out=37)
    assert sorted((pair.source, pair.target) for pair in again.dev) == sorted(held)


def test_pairs_with_the_same_source_stay_on_one_side(tmp_path: Path) -> None:
    rows = [(f"source {i % 50}", f"target {i}") for i in range(500)]
    text = prepared(rows, tmp_path, held_out=25)
    held = {pair.source for pair in text.dev}
    assert len(text.dev) == 20
    assert not held & {pair.source for pair in text.train}


def test_links_come_along_and_must_fit(tmp_path: Path) -> None:
    rows = [Pair(f"a{i} b", "x y z", i, "0-0 1p2 1?1") for i in range(1, 30)]
    linked = GeneratedCorpus("linked", "1", lambda: rows)
    text = prepare_text([Weighted(linked)], tmp_path)
    assert text.train.aligned
    assert text.train[0].alignment == "0-0 1p2 1p1"
    for links, message in (("2-0", "link 2-0 points outside a pair of 2 and 3 words"), ("x", "'x' is not a word link")):
        wrong = GeneratedCorpus("wrong", links, lambda links=links: [*rows, Pair("a b", "x y z", 30, links)])
        with pytest.raises(DataError, match=f"wrong:30: {message}"):
            prepare_text([Weighted(wrong)], tmp_path)


def test_several_corpora_are_segments(tmp_path: Path) -> None:
    one, other = corpus(many(30), "one"), corpus(many(50, 25), "other")
    text = prepare_text([Weighted(one, 2.0), Weighted(other, 0.5)], tmp_path, held_out=3)
    first, second = text.train.segments
    assert (first.name, first.weight, first.start) == ("one", 2.0, 0)
    assert (second.name, second.weight, second.start, second.stop) == ("other", 0.5, first.stop, len(text.train))
    assert text.reports[1].dropped == {"duplicate": 5}
    assert len(text.train) == 72
    assert text.train.where(first.stop).startswith("other:")
    assert text.train.where(0) in ("one:1", "one:2", "one:3")


def test_a_second_time_is_found_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = prepared(many(40), tmp_path)
    monkeypatch.setattr(prepare, "_build", lambda *_: pytest.fail("built again"))
    second = prepared(many(40), tmp_path)
    assert pairs(first) == pairs(second)
    assert str(first) == str(second)
    assert second.train.identity == first.train.identity
    monkeypatch.undo()
    assert prepared(many(41), tmp_path).train.identity != first.train.identity


def test_a_damaged_cache_is_built_again(tmp_path: Path) -> None:
    first = prepared(many(40), tmp_path)
    expected = pairs(first)
    text = first.train.folder / "text.bin"
    del first
    text.write_bytes(text.read_bytes()[:-5])
    assert pairs(prepared(many(40), tmp_path)) == expected
    assert [path.name for path in tmp_path.iterdir()] == [text.parent.name]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> list[Pair]:
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="the disk is full"):
        prepare_text([Weighted(GeneratedCorpus("broken", "1", broken))], tmp_path)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("xyz")), min_size=1, max_size=60))
def test_of_equal_pairs_the_first_stays(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    text = prepared(rows, tmp_path_factory.mktemp("c"), dev=corpus([("other", "other")]))
    assert pairs(text) == list(dict.fromkeys(rows))


def test_duplicates_are_found_in_slices_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*many(700), *many(350, 350), *many(100)]
    monkeypatch.setattr(prepare, "_SORTED_AT_ONCE", 100)
    monkeypatch.setattr("jumok.data.text_store.BLOCK", 64)
    text = prepared(rows, tmp_path, dev=corpus([("other", "other")]))
    assert pairs(text) == many(700)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=8))
def test_stored_text_is_the_normalised_text(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    rules = Rules(max_ratio=None, drop_duplicates=False, drop_overlap=False)
    kept = [(normalise(s), normalise(t)) for s, t in rows if normalise(s) and normalise(t)]
    text = prepared([*rows, ("one", "more")], tmp_path_factory.mktemp("c"), dev=corpus([("o", "o")]), rules=rules)
    assert pairs(text) == [*kept, ("one", "more")]


def test_reports_survive_json() -> None:
    report = CorpusReport("x", read=3, kept=2)
    report.drop("empty", "x:1")
    assert CorpusReport.from_json(report.to_json()) == report


def test_checking_alone_reports_the_same(tmp_path: Path) -> None:
    rows = [*many(30), ("", "x")]
    assert check([Weighted(corpus(rows))]) == prepared(rows, tmp_path).reports
