"""Lengths in words hold over every kind of vocabulary, whatever the model would rather write."""

import pytest
import torch

from jumok.decoding.constraints import Rules
from jumok.decoding.length import Length
from jumok.decoding.scoring import Scoring, coverage_penalty
from jumok.decoding.word_limits import WordLimits
from jumok.errors import InputError
from jumok.shapes import EOS
from jumok.text.options import TokenizerOptions
from jumok.text.tokenizer import build_tokenizer
from jumok.text.vocabulary import FIRST_BYTE

LINES = ["the cat sat on the mat", "a dog ran far away", "비가 오는 날에는 집에 있다", "the dog sat"] * 4
KINDS = ["words", "characters", "bpe", "unigram", "bytes"]


@pytest.mark.parametrize(
    ("written", "source", "bounds"),
    [("12", 99, (12, 12)), ("5..12", 99, (5, 12)), ("..12", 99, (0, 12)), ("5..", 9, (5, 100_000)),
     ("10%", 95, (10, 10)), ("5%..20%", 100, (5, 20)), ("10%", 2, (1, 1)), ("..2.5%", 40, (0, 1))],
)  # fmt: skip
def test_what_is_written_is_understood(written: str, source: int, bounds: tuple[int, int]) -> None:
    assert Length.parse(written).bounds(source) == bounds


@pytest.mark.parametrize("written", ["", "..", "a", "5-12", "12..5", "5%..12", "0", "1.5", "5 6"])
def test_what_is_no_length_is_refused(written: str) -> None:
    with pytest.raises(InputError):
        Length.parse(written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("least", "most"), [(3, 3), (1, 2), (4, 9), (7, 7)])
def test_random_writing_keeps_the_bounds(kind: str, least: int, most: int) -> None:
    size = {"bpe": 50, "unigram": 44}.get(kind)
    spelled = kind == "bytes"
    options = TokenizerOptions(byte_fallback=spelled)
    tokenizer = build_tokenizer("characters" if spelled else kind, LINES, size=size, options=options)
    rows = 60
    limits = WordLimits(tokenizer.vocabulary, torch.full((rows,), least), torch.full((rows,), most))
    rules = Rules(torch.full((rows,), 30), torch.zeros(rows, dtype=torch.long), allow_unknown=False, words=limits)
    state, generator = rules.start(), torch.Generator().manual_seed(3)
    written: list[list[int]] = [[] for _ in range(rows)]
    alive = torch.arange(rows)
    for step in range(40):
        logits = torch.randn(len(alive), tokenizer.size, generator=generator)
        logits[:, EOS] += 2.0 if step % 2 else -9.0
        if spelled:  # white space of one, two and three bytes
            logits[:, [FIRST_BYTE + byte for byte in b"\n\xc2\x85\xa0\xe2\x80\xa8"]] += 3.0
        token_N = rules.restrict(logits, state, step).argmax(-1)
        left = (token_N != EOS).nonzero()[:, 0]
        for row, token in zip(alive.tolist(), token_N.tolist(), strict=True):
            written[row] += [token] if token != EOS else []
        state, alive = rules.advance(state, left, token_N[left]), alive[left]
        if not len(alive):
            break
    assert not len(alive)
    assert all(least <= len(tokenizer.decode(ids).split()) <= most for ids in written)


def test_no_white_space_character_is_spelled_in_bytes_and_every_other_one_can_be() -> None:
    tokenizer = build_tokenizer("characters", LINES, size=None, options=TokenizerOptions(byte_fallback=True))
    limits = WordLimits(tokenizer.vocabulary, torch.tensor([1]), torch.tensor([9]))
    row = torch.tensor([0])
    spaces = [chr(code) for code in range(0x10000) if chr(code).isspace()]
    for character in [*spaces, "ㄱ", "，", "“", "é", "€", "가", "💥"]:
        for before in ("", "\xa0", "\u2028"):  # a space that was begun and given up
            state, banned = limits.start(), []
            for byte in [*before.encode()[:-1], *character.encode()]:
                token = torch.tensor([FIRST_BYTE + byte])
                banned.append(bool(limits.banned(state, row, torch.tensor([30]))[0, token]))
                state = limits.advance(state, row, token)
            assert banned[-1] is character.isspace(), repr(character)
            assert not any(banned[:-1])


def test_an_exempt_token_may_come_again() -> None:
    history = torch.tensor([[5, 6, 7, 5, 6]])
    for repeatable, banned in (((), True), (((6,),), False), (((9,),), True)):
        rules = Rules(torch.tensor([20]), torch.tensor([0]), no_repeat=3, repeatable=repeatable)
        state, parent = rules.start(), torch.tensor([0])
        for token in history[0]:
            state = rules.advance(state, parent, token[None])
        found = rules.restrict(torch.zeros(1, 12), state, 5)
        assert bool(found[0, 7] == -torch.inf) == banned


def test_the_summary_penalty_counts_what_was_looked_at_twice() -> None:
    attended = torch.tensor([[1.5, 0.0, 0.7, 3.0], [1.0, 1.0, 0.0, 9.0]])
    mask = torch.tensor([[True, True, True, True], [True, True, True, False]])
    found = coverage_penalty(attended, mask, 2.0, "summary")
    torch.testing.assert_close(found, torch.tensor([-5.0, 0.0]).double())
    assert bool((coverage_penalty(attended, mask, 2.0, "wu") < 0).all())
    with pytest.raises(InputError, match="summary"):
        Scoring(coverage_form="sumary")  # pyright: ignore
