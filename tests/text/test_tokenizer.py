"""Building, saving and loading: sizes that fit, files that belong together, errors that say what to do."""

import json
import pickle
from pathlib import Path

import pytest

from jumok.errors import TextError
from jumok.shapes import BOS, EOS, PAD, SPECIAL_TOKENS, UNK
from jumok.text import Tokenizer, TokenizerOptions, build_tokenizer, load_tokenizer
from jumok.text.files import saved_kind
from tests.text.conftest import LEARNED, LINES

SUBWORDS = ("bpe", "unigram")


@pytest.mark.parametrize("kind", LEARNED)
def test_special_ids_come_first(tokenizers: dict[str, Tokenizer], kind: str) -> None:
    assert [tokenizers[kind].token(i) for i in (PAD, UNK, BOS, EOS)] == list(SPECIAL_TOKENS)
    assert tokenizers[kind].token(4) == "<0x00>"
    with pytest.raises(TextError, match="outside the vocabulary"):
        tokenizers[kind].token(tokenizers[kind].size)
    with pytest.raises(TextError, match="outside the vocabulary"):
        tokenizers[kind].decode([tokenizers[kind].size])


@pytest.mark.parametrize("kind", SUBWORDS)
def test_the_size_is_what_was_asked(kind: str) -> None:
    assert build_tokenizer(kind, LINES, size=337).size == 337


@pytest.mark.parametrize("kind", LEARNED)
def test_a_size_is_chosen_from_the_text(kind: str) -> None:
    tokenizer = build_tokenizer(kind, LINES)
    assert 20 < tokenizer.size < 600
    assert tokenizer.decode(tokenizer.encode("the old garden")) == "the old garden"


@pytest.mark.parametrize("kind", LEARNED)
def test_a_size_beyond_the_text_names_the_largest(kind: str) -> None:
    with pytest.raises(TextError, match=r"vocabulary of 5003 is larger .* at most (\d+) here") as caught:
        build_tokenizer(kind, LINES, size=5003)
    largest = int(str(caught.value).split("at most ")[1].split()[0])
    assert build_tokenizer(kind, LINES, size=largest).size == largest


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters"])
def test_a_size_below_the_bytes_names_the_smallest(kind: str) -> None:
    with pytest.raises(TextError, match=r"vocabulary of 11 is too small.* at least (\d+) here") as caught:
        build_tokenizer(kind, LINES, size=11)
    smallest = int(str(caught.value).split("at least ")[1].split()[0])
    assert build_tokenizer(kind, LINES, size=smallest).size == smallest


@pytest.mark.parametrize("kind", LEARNED)
@pytest.mark.parametrize("lines", [[], ["", "  ", "\u2028"]])
def test_text_without_words_is_refused(kind: str, lines: list[str]) -> None:
    with pytest.raises(TextError, match="without words"):
        build_tokenizer(kind, lines)


@pytest.mark.parametrize("kind", LEARNED)
@pytest.mark.parametrize("lines", [["a"], ["a b"], ["가"], ["▁a x"], ["a" * 5000 + " b"]])
def test_the_smallest_texts_are_enough(kind: str, lines: list[str]) -> None:
    tokenizer = build_tokenizer(kind, lines, options=TokenizerOptions(byte_fallback=True))
    assert tokenizer.decode(tokenizer.encode("a 가 ▁ 나")) == "a 가 ▁ 나"


def test_unigram_learns_every_repeated_word_that_it_has_room_for() -> None:
    """Also where no word is a part of another, and where they do not fit into one line of SentencePiece's list."""
    words = [chr(97 + n // 100) * 6 + chr(97 + n // 10 % 10) * 4 + chr(97 + n % 10) * 4 for n in range(400)]
    assert sum(map(len, words)) > 4192
    tokenizer = build_tokenizer("unigram", words * 5)
    assert [len(tokenizer.encode(word)) for word in words] == [1] * len(words)


def test_unknown_kinds_get_a_suggestion() -> None:
    with pytest.raises(TextError, match=r"no tokenizer 'unigrams' \(did you mean 'unigram'\?\)"):
        build_tokenizer("unigrams", LINES)


@pytest.mark.parametrize("kind", LEARNED)
def test_building_is_repeatable(kind: str) -> None:
    one, other = build_tokenizer(kind, LINES), build_tokenizer(kind, list(reversed(LINES)))
    assert one.sha256 == other.sha256


@pytest.mark.parametrize("kind", LEARNED)
def test_saved_is_loaded(tokenizers: dict[str, Tokenizer], kind: str, tmp_path: Path) -> None:
    tokenizer = tokenizers[kind]
    tokenizer.save(tmp_path, "source")
    build_tokenizer("words", ["other words"]).save(tmp_path, "target")
    loaded = load_tokenizer(tmp_path, "source")
    line = "the garden ▁ 정원을 😀"
    assert (loaded.kind, loaded.size, loaded.sha256) == (tokenizer.kind, tokenizer.size, tokenizer.sha256)
    assert loaded.options == tokenizer.options
    assert loaded.encode(line) == tokenizer.encode(line)
    assert loaded.encode(line, sample_seed=3) == tokenizer.encode(line, sample_seed=3)
    assert load_tokenizer(tmp_path, "target").kind == "words"
    copied = pickle.loads(pickle.dumps(loaded))
    assert copied.encode(line) == tokenizer.encode(line)
    assert not list(tmp_path.glob("*.tmp"))


def test_a_joint_tokenizer_serves_both_sides(tokenizers: dict[str, Tokenizer], tmp_path: Path) -> None:
    tokenizers["bpe"].save(tmp_path, "joint")
    assert load_tokenizer(tmp_path, "source").sha256 == load_tokenizer(tmp_path, "target").sha256
    assert (tmp_path / "joint.model").exists()
    with pytest.raises(TextError, match="no nonsense tokenizer"):
        load_tokenizer(tmp_path, "nonsense")


@pytest.mark.parametrize("kind", LEARNED)
def test_another_tokenizers_file_is_noticed(tokenizers: dict[str, Tokenizer], kind: str, tmp_path: Path) -> None:
    tokenizers[kind].save(tmp_path, "source")
    build_tokenizer(kind, ["quite another text with other words"]).save(tmp_path / "other", "source")
    name = json.loads((tmp_path / "tokenizer.json").read_text())["sides"]["source"]["file"]
    (tmp_path / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(TextError, match="does not belong"):
        load_tokenizer(tmp_path, "source")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"format": 99, "sides": {}}', "format 99"),
        ('{"format": 1, "sides": {}}', "no source tokenizer"),
        ('{"format": 1, "sides": {"source": {}}}', "damaged at its source entry"),
    ],
)
def test_damaged_indices_are_named(tmp_path: Path, damage: str, message: str) -> None:
    (tmp_path / "tokenizer.json").write_text(damage)
    with pytest.raises(TextError, match=message):
        load_tokenizer(tmp_path, "source")


def test_missing_files_and_paths_outside_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="no tokenizer can be read"):
        load_tokenizer(tmp_path, "source")
    build_tokenizer("words", LINES).save(tmp_path, "source")
    (tmp_path / "source.vocab").unlink()
    with pytest.raises(TextError, match="cannot be read"):
        load_tokenizer(tmp_path, "source")
    index = tmp_path / "tokenizer.json"
    index.write_text(index.read_text().replace("source.vocab", "../source.vocab"))
    with pytest.raises(TextError, match="damaged"):
        load_tokenizer(tmp_path, "source")


def test_unknown_words_keep_their_place() -> None:
    tokenizer = build_tokenizer("words", LINES)
    ids = tokenizer.encode("the zebra garden")
    assert ids[1] == UNK
    assert tokenizer.decode(ids) == "the <unk> garden"
    assert tokenizer.word_of_token(ids) == [0, 1, 2]
    assert tokenizer.word_of_token([BOS, *ids, EOS]) == [-1, 0, 1, 2, -1]


def test_a_word_that_looks_special_is_a_word() -> None:
    tokenizer = build_tokenizer("words", LINES)
    ids = tokenizer.encode("un <unk> et un <s>")
    assert UNK not in ids
    assert BOS not in ids
    assert tokenizer.decode(ids) == "un <unk> et un <s>"


def test_rare_words_can_be_left_out() -> None:
    tokenizer = build_tokenizer("words", ["a a a b b c"], options=TokenizerOptions(min_count=2))
    assert [tokenizer.token(i) for i in range(4, tokenizer.size)] == ["a", "b"]


def test_without_byte_fallback_unknown_characters_are_unknown() -> None:
    for kind in ("bpe", "unigram", "characters"):
        tokenizer = build_tokenizer(kind, LINES, options=TokenizerOptions(byte_fallback=False, sampling=0.2))
        assert UNK in tokenizer.encode("the 😀")
        assert UNK in tokenizer.encode("the 😀", sample_seed=2)
        assert tokenizer.decode(tokenizer.encode("the 😀 garden")) == "the <unk> garden"


@pytest.mark.parametrize("kind", LEARNED)
def test_lower_case(kind: str) -> None:
    tokenizer = build_tokenizer(kind, LINES, options=TokenizerOptions(lowercase=True, byte_fallback=True))
    assert tokenizer.decode(tokenizer.encode("The OLD Garden ÉCOLE")) == "the old garden école"


def test_rare_words_are_forgotten_before_memory_is_full() -> None:
    from jumok.text.options import count_words

    lines = [f"often word{i}" for i in range(1000)]
    counts = count_words(lines, False, most=101)
    assert counts["often"] == 1000
    assert len(counts) <= 102


@pytest.mark.parametrize("kind", LEARNED)
def test_a_folder_tells_the_kind_of_its_tokenizer(tokenizers: dict[str, Tokenizer], kind: str, tmp_path: Path) -> None:
    assert saved_kind(tmp_path) is None
    tokenizers[kind].save(tmp_path, "target")
    assert saved_kind(tmp_path) == kind
    for damaged in ("{", "[]", '{"format": 1, "sides": {"target": {"kind": 3}}}'):
        (tmp_path / "tokenizer.json").write_text(damaged)
        assert saved_kind(tmp_path) is None
