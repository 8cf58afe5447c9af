"""Any line comes back as its NFC with white space folded, and every token knows its word."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.shapes import BOS, EOS, PAD, UNK
from jumok.text import Tokenizer, normalise, words_of
from tests.text.conftest import LEARNED

HOSTILE = [
    "",
    "   ",
    "▁",
    "▁▁ ▁a a▁ a▁b ▁▁▁",
    "\0",
    "a\0b \0 \0\0",
    "<s> </s> <pad> <unk> <0x41> <0xE2><0x96><0x81>",
    "e\u0301 \u0301 a\u0301\u0323 ᄒ\u1161\u11ab 한",
    "line\u2028para\u2029next\x85nbsp\xa0ideo\u3000end\x1cfs",
    "zero\u200bwidth \ufeffbom \u202eright to left\u202c",
    "😀 👩\u200d👩\u200d👧 🇰🇷 \U000e0041",
    "\x01\x02\x1b[31m\x7f\x80",
    "▅ ⁇ \u2047 \ue000 \uf8ff \U0010ffff \ufffd \uffff",
    "the" * 700,
    "정원" * 300 + "▁" * 70,
    "\t\r\n the \v\f garden \r",
]


def check_line(tokenizer: Tokenizer, line: str, seed: int | None) -> None:
    ids = tokenizer.encode(line, sample_seed=seed)
    assert tokenizer.decode(ids) == normalise(line)
    assert not {PAD, UNK, BOS, EOS} & set(ids)
    assert all(0 <= token < tokenizer.size for token in ids)
    numbers = tokenizer.word_of_token(ids)
    words = words_of(line)
    assert sorted(set(numbers)) == list(range(len(words)))
    assert numbers == sorted(numbers)
    for number, word in enumerate(words):
        assert tokenizer.decode([token for token, at in zip(ids, numbers, strict=True) if at == number]) == word


@pytest.mark.parametrize("kind", LEARNED)
@pytest.mark.parametrize("line", HOSTILE)
@pytest.mark.parametrize("seed", [None, 7])
def test_hostile_lines_come_back(tokenizers: dict[str, Tokenizer], kind: str, line: str, seed: int | None) -> None:
    check_line(tokenizers[kind], line, seed)


@pytest.mark.parametrize("kind", LEARNED)
@settings(max_examples=150, deadline=None)
@given(line=st.text(), seed=st.none() | st.integers(0, 2**64 - 1))
def test_any_line_comes_back(tokenizers: dict[str, Tokenizer], kind: str, line: str, seed: int | None) -> None:
    check_line(tokenizers[kind], line, seed)


@pytest.mark.parametrize("kind", LEARNED)
@settings(max_examples=100, deadline=None)
@given(line=st.lists(st.sampled_from(["the", "garden", "정원을", "▁", "\0", "<unk>", "walks", "é", "e\u0301"])))
def test_known_and_special_words_mix(tokenizers: dict[str, Tokenizer], kind: str, line: list[str]) -> None:
    check_line(tokenizers[kind], " ".join(line), None)
    check_line(tokenizers[kind], "".join(line), 11)


@pytest.mark.parametrize("kind", LEARNED)
def test_every_character_comes_back(tokenizers: dict[str, Tokenizer], kind: str) -> None:
    characters = [chr(c) for c in range(0x30000) if not 0xD800 <= c <= 0xDFFF]
    for start in range(0, len(characters), 4099):
        line = " ".join(characters[start : start + 4099])
        assert tokenizers[kind].decode(tokenizers[kind].encode(line)) == normalise(line)


@pytest.mark.parametrize("kind", LEARNED)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_whatever_a_model_writes_can_be_read(tokenizers: dict[str, Tokenizer], kind: str, data: st.DataObject) -> None:
    """Any ids decode to a normalised text, and word numbers point into it."""
    tokenizer = tokenizers[kind]
    special_or_byte = st.integers(0, 260)
    ids = data.draw(st.lists(special_or_byte | st.integers(0, tokenizer.size - 1)))
    text = tokenizer.decode(ids)
    assert text == normalise(text)
    numbers = tokenizer.word_of_token(ids)
    words = len(text.split())
    assert len(numbers) == len(ids)
    for token, number in zip(ids, numbers, strict=True):
        assert -1 <= number < max(words, 1)
        if token in (PAD, BOS, EOS):
            assert number == -1
        elif words:
            assert number >= 0


@given(st.text())
def test_normalising_is_done_once(line: str) -> None:
    once = normalise(line)
    assert normalise(once) == once
    assert once == " ".join(unicodedata.normalize("NFC", line).split())
    assert once.split(" ") == (words_of(line) or [""])


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert normalise("a\ud800b \udfff") == "a�b �"


@pytest.mark.parametrize("kind", LEARNED)
def test_tokens_are_the_names_of_the_ids(tokenizers: dict[str, Tokenizer], kind: str) -> None:
    tokenizer = tokenizers[kind]
    line = "the garden 😀 ▁"
    assert tokenizer.tokens(line) == [tokenizer.token(token) for token in tokenizer.encode(line)]
    assert tokenizer.decode([BOS, *tokenizer.encode(line), EOS, PAD, PAD]) == line


def test_pieces_carry_the_space_mark(tokenizers: dict[str, Tokenizer]) -> None:
    assert tokenizers["bpe"].tokens("the garden")[0] == "▁the"
    assert tokenizers["characters"].tokens("is a") == ["i", "s", "▁", "a"]
    assert tokenizers["words"].tokens("the garden") == ["the", "garden"]
