"""Readers: each format gives the same pairs, each flaw its place, and hostile files are refused."""

import gzip
import json
from pathlib import Path

import pytest

from jumok.data.corpus import (
    GeneratedCorpus,
    JsonLinesCorpus,
    Pair,
    TableCorpus,
    TmxCorpus,
    open_corpus,
    pairs_of,
)
from jumok.data.lines import LONGEST_LINE, Flaw, file_facts, read_lines
from jumok.errors import DataError

PAIRS = [("a b\u2028c", "x"), ("나는 간다", "y\x85z\x0b"), ("", "w"), ("tab less", "é")]


def write(path: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def tmx(units: str, head: str = "") -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>{head}<tmx version="1.4"><header/><body>{units}</body></tmx>'


def unit(source: str, target: str) -> str:
    return (
        f'<tu><note>n</note><tuv xml:lang="EN-us"><seg>{source}</seg></tuv>'
        f'<tuv xml:lang="ko"><seg>{target}</seg></tuv></tu>\n'
    )


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_every_format_gives_the_same_pairs(tmp_path: Path, packed: str) -> None:
    plain = open_corpus(
        write(tmp_path / f"a.en{packed}", "".join(f"{s}\n" for s, _ in PAIRS)),
        write(tmp_path / f"a.ko{packed}", "\r\n".join(t for _, t in PAIRS)),
    )
    table = open_corpus(write(tmp_path / f"a.tsv{packed}", "".join(f"{s}\t{t}\n" for s, t in PAIRS)))
    rows = "".join(json.dumps({"source": s, "target": t}) + "\n" for s, t in PAIRS)
    listed = open_corpus(write(tmp_path / f"a.jsonl{packed}", rows))
    expected = [Pair(s, t, number) for number, (s, t) in enumerate(PAIRS, 1)]
    assert list(pairs_of(plain)) == list(pairs_of(table)) == list(pairs_of(listed)) == expected
    # XML cannot hold the vertical tab.
    units = "".join(unit(s, t.replace("\x0b", "")) for s, t in PAIRS)
    memory = open_corpus(write(tmp_path / f"a.tmx{packed}", tmx(units)), source_language="en", target_language="ko")
    assert [(p.source, p.target) for p in pairs_of(memory)] == [(s, t.replace("\x0b", "")) for s, t in PAIRS]


def test_lines_end_with_newlines_only(tmp_path: Path) -> None:
    path = write(tmp_path / "t", "a\u2028b\u2029c\x85d\x0be\x0cf\rg\x1ch\r\nnext\n\nlast")
    assert list(read_lines(path)) == ["a\u2028b\u2029c\x85d\x0be\x0cf\rg\x1ch", "next", "", "last"]
    assert file_facts(path).lines == 4
    assert file_facts(write(tmp_path / "u", "a\nb\n")).lines == 2
    assert file_facts(write(tmp_path / "v", "")).lines == 0


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert list(read_lines(write(tmp_path / "t", b"\xef\xbb\xbfa\nb\n"))) == ["a", "b"]
    with pytest.raises(DataError, match="UTF-16"):
        file_facts(write(tmp_path / "u", "a\nb\n".encode("utf-16")))


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_bad_utf8_is_named_with_file_and_line(tmp_path: Path, packed: str) -> None:
    source = write(tmp_path / f"a.en{packed}", b"one\ntwo\nth\xffree\nfour\n")
    target = write(tmp_path / f"a.ko{packed}", b"1\n2\n3\n\xc3\n")
    items = list(open_corpus(source, target).read())
    assert [type(item) for item in items] == [Pair, Pair, Flaw, Flaw]
    assert items[2] == Flaw("bad UTF-8", f"{source}:3", "byte 0xff at column 3")
    assert items[3] == Flaw("bad UTF-8", f"{target}:4", "byte 0xc3 at column 1")
    with pytest.raises(DataError, match=r"a\.en.*:3: bad UTF-8"):
        list(pairs_of(open_corpus(source, target)))


def test_a_line_without_end_is_not_swallowed(tmp_path: Path) -> None:
    path = write(tmp_path / "t", b"a\n" + b"x" * (2 * LONGEST_LINE + 17) + b"\nb\n" + b"y" * LONGEST_LINE)
    first, blob, second, last = read_lines(path)
    assert (first, second) == ("a", "b")
    assert isinstance(blob, Flaw)
    assert blob.where == f"{path}:2"
    assert isinstance(last, Flaw)


@pytest.mark.parametrize(("one", "other"), [("a\nb\nc\n", "x\ny\n"), ("a\n", "x\ny\n"), ("", "x\n")])
def test_sides_of_different_length_are_refused(tmp_path: Path, one: str, other: str) -> None:
    corpus = open_corpus(write(tmp_path / "a.en", one), write(tmp_path / "a.ko", other))
    message = rf"a\.en has {one.count(chr(10))} lines but .*a\.ko has {other.count(chr(10))};"
    with pytest.raises(DataError, match=message):
        corpus.fingerprint()
    with pytest.raises(DataError, match=message):
        list(corpus.read())


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a.en", "a\n")
    with pytest.raises(DataError, match=r"nowhere\.ko does not exist"):
        open_corpus(tmp_path / "a.en", tmp_path / "nowhere.ko")
    with pytest.raises(DataError, match="is a folder"):
        open_corpus(tmp_path, tmp_path / "a.en")
    with pytest.raises(DataError, match="needs a target file"):
        open_corpus(tmp_path / "a.en")


def test_a_cut_off_packed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress("".join(f"line {i * 7919}\n" for i in range(5000)).encode())[:-999])
    with pytest.raises(DataError, match=r"a\.gz is damaged or incomplete"):
        list(read_lines(path))
    with pytest.raises(DataError, match="damaged or incomplete"):
        file_facts(path)
    path.write_bytes(b"no gzip at all")
    with pytest.raises(DataError, match="damaged or incomplete"):
        list(read_lines(path))


def test_table_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "1\ta\tx\n2\tb\n\n3\tc\tz\textra\n")
    items = list(TableCorpus(path, source_column=1, target_column=2).read())
    assert items[0] == Pair("a", "x", 1)
    assert items[1] == Flaw("missing column", f"{path}:2", "2 of 3 columns")
    assert isinstance(items[2], Flaw)
    assert items[2].reason == "empty"
    assert items[3] == Pair("c", "z", 4)


def test_json_keys_are_found(tmp_path: Path) -> None:
    row = {"translation": {"en": "a", "fr": "b"}}
    nested = write(tmp_path / "n.jsonl", json.dumps(row) + "\n")
    corpus = open_corpus(nested, source_language="en", target_language="fr")
    assert list(pairs_of(corpus)) == [Pair("a", "b", 1)]
    flat = write(tmp_path / "f.jsonl", '{"en": "a", "fr": "b"}\n')
    assert list(pairs_of(open_corpus(flat, source_language="en", target_language="fr"))) == [Pair("a", "b", 1)]


def test_json_flaws_have_places(tmp_path: Path) -> None:
    rows = ['{"source": "a", "target": "b", "alignment": "0-0"}', "{", '{"source": "a"}', "[1]", "", "[" * 100_000]
    rows.append('{"source": "\\ud800", "target": "b"}')
    path = write(tmp_path / "a.jsonl", "\n".join(rows))
    items = list(JsonLinesCorpus(path).read())
    assert items[0] == Pair("a", "b", 1, "0-0")
    reasons = [item.reason for item in items if isinstance(item, Flaw)]
    assert reasons == ["bad JSON", "missing key", "missing key", "empty", "bad JSON", "bad UTF-8"]


def test_memories_keep_text_and_leave_codes(tmp_path: Path) -> None:
    units = unit('Press <bpt i="1">&lt;b&gt;</bpt><hi>the <ph/>key</hi><ept i="1">&lt;/b&gt;</ept> now', "지금")
    units += '<tu><tuv lang="en"><seg>only one</seg></tuv></tu>'
    path = write(tmp_path / "a.tmx", tmx(units, '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'))
    pair, flaw = TmxCorpus(path, "en", "ko").read()
    assert pair == Pair("Press the key now", "지금", 1)
    assert flaw == Flaw("missing language", f"{path}: unit 2", "no segment in 'ko'")


BOMB = '<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tmx(unit("&b;", "x"), BOMB), "declares XML entities"),
        (tmx(unit("&a;", "x"), OUTSIDE), "declares XML entities"),
        (tmx(unit("a", "b"))[:-9], "not well-formed TMX"),
        (tmx(unit("<g>" * 5000 + "</g>" * 5000, "x")), "too deeply"),
        ("", "not well-formed TMX"),
    ],
)
def test_hostile_memories_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path / "a.tmx", content)
    with pytest.raises(DataError, match=message):
        list(TmxCorpus(path, "en", "ko").read())


def test_a_memory_without_units_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jumok.data.tmx.LARGEST_UNIT", 1 << 20)
    short, long = "a" * (1 << 19), "a" * (1 << 21)
    assert len(list(TmxCorpus(write(tmp_path / "a.tmx", tmx(unit(short, "x") * 4)), "en", "ko").read())) == 4
    with pytest.raises(DataError, match="without the end of a unit"):
        list(TmxCorpus(write(tmp_path / "b.tmx", tmx(unit(long, "x"))), "en", "ko").read())


@pytest.mark.parametrize(("wanted", "found"), [("en-US", "us"), ("en", "uk"), ("en-AU", "uk"), ("en_us", "us")])
def test_the_nearest_region_of_a_language_is_taken(tmp_path: Path, wanted: str, found: str) -> None:
    variants = "".join(
        f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
        for code, text in (("en-GB", "uk"), ("EN_us", "us"), ("eng-x", "no"), ("ko-KR", "한국"))
    )
    pairs = list(TmxCorpus(write(tmp_path / "a.tmx", tmx(f"<tu>{variants}</tu>")), wanted, "ko").read())
    assert pairs == [Pair(found, "한국", 1)]
    [pair] = TmxCorpus(write(tmp_path / "b.tmx", tmx(unit("plain", "x"))), "en-US", "ko").read()
    assert isinstance(pair, Pair)
    assert pair.source == "plain"


def test_memories_may_be_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    path.write_bytes(tmx(unit("a key", "키")).replace("utf-8", "utf-16").encode("utf-16"))
    corpus = open_corpus(path, source_language="en", target_language="ko")
    assert len(corpus.fingerprint()) == 64
    assert list(corpus.read()) == [Pair("a key", "키", 1)]


def test_memories_need_languages(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="source_language"):
        open_corpus(write(tmp_path / "a.tmx", tmx("")))


def test_memories_are_streamed(tmp_path: Path) -> None:
    """The tree does not grow with the file: memory at the end is that of the beginning."""
    import tracemalloc

    path = write(tmp_path / "a.tmx", tmx(unit("some words here", "x") * 3_001))
    units = TmxCorpus(path, "en", "ko").read()
    next(units)
    tracemalloc.start()
    count = sum(1 for _ in units)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 3_000
    assert peak < 700_000


def test_links_are_read_beside_the_text(tmp_path: Path) -> None:
    source, target = write(tmp_path / "a.en", "a b\nc\n"), write(tmp_path / "a.ko", "x\ny\n")
    links = write(tmp_path / "a.align", "0-0 1-0\n0-0\n")
    corpus = open_corpus(source, target, alignment=links)
    assert [pair.alignment for pair in pairs_of(corpus)] == ["0-0 1-0", "0-0"]
    for content in ("0-0\n", "0-0\n0-0\n0-0\n"):
        short = open_corpus(source, target, alignment=write(tmp_path / "b.align", content))
        with pytest.raises(DataError, match=r"b\.align"):
            list(short.read())
        with pytest.raises(DataError, match=r"b\.align"):
            short.fingerprint()


def test_fingerprints_follow_the_content(tmp_path: Path) -> None:
    source, target = write(tmp_path / "a.en", "a\n"), write(tmp_path / "a.ko", "x\n")
    before = open_corpus(source, target).fingerprint()
    assert open_corpus(source, target).fingerprint() == before
    packed = open_corpus(write(tmp_path / "p.gz", "a\n"), target)
    assert packed.fingerprint() == before
    write(source, "b\n")
    assert open_corpus(source, target).fingerprint() != before
    assert open_corpus(target, source).fingerprint() != before


def test_generated_pairs_are_a_corpus() -> None:
    corpus = GeneratedCorpus("made", "7", lambda: [Pair("a", "b", 1)])
    assert list(pairs_of(corpus)) == list(pairs_of(corpus)) == [Pair("a", "b", 1)]
    assert corpus.fingerprint() != GeneratedCorpus("made", "8", list).fingerprint()
