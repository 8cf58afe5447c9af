"""Drawn segmentations: a pure function of the seed, with the distribution of the papers."""

import pickle
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import exp

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.text import Tokenizer, TokenizerOptions, build_tokenizer, stable_seed
from jumok.text.sampling import UNKNOWN_PENALTY, BpeSampler, UnigramSampler

SCORES = {"a": -1.0, "b": -1.7, "ab": -2.1, "ba": -2.3, "aba": -3.1, "bab": -2.9, "abab": -5.3}
DRAWS = 20_000


def segmentations(word: str, scores: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    """All ways to write the word as pieces, by plain recursion."""
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        if word[:end] in scores:
            for rest in segmentations(word[end:], scores):
                yield (word[:end], *rest)


def frequencies(sampler: UnigramSampler | BpeSampler, word: str) -> dict[tuple[str, ...], float]:
    draw = random.Random(13).random
    counts = Counter(tuple(sampler.draw(word, draw)) for _ in range(DRAWS))
    return {pieces: count / DRAWS for pieces, count in counts.items()}


def agree(drawn: Mapping[tuple[str, ...], float], expected: Mapping[tuple[str, ...], float]) -> None:
    assert sum(expected.values()) == pytest.approx(1.0)
    for pieces in drawn.keys() | expected.keys():
        p = expected.get(pieces, 0.0)
        # Five standard deviations of a share of DRAWS draws.
        assert drawn.get(pieces, 0.0) == pytest.approx(p, abs=5 * (p * (1 - p) / DRAWS) ** 0.5 + 1e-9), pieces


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("word", ["a", "ab", "abab", "ababbab"])
def test_unigram_draws_as_often_as_enumeration_says(word: str, alpha: float) -> None:
    weights = {x: exp(alpha * sum(SCORES[piece] for piece in x)) for x in segmentations(word, SCORES)}
    total = sum(weights.values())
    agree(frequencies(UnigramSampler(SCORES, alpha), word), {x: w / total for x, w in weights.items()})


def test_unknown_characters_are_pieces_of_last_resort() -> None:
    sampler = UnigramSampler(SCORES, 1.0)
    assert sampler.draw("zz", random.Random(1).random) == ["z", "z"]
    with_unknown = {**SCORES, "z": min(SCORES.values()) - UNKNOWN_PENALTY}
    weights = {x: exp(sum(with_unknown[piece] for piece in x)) for x in segmentations("abzab", with_unknown)}
    total = sum(weights.values())
    agree(frequencies(sampler, "abzab"), {x: w / total for x, w in weights.items()})


def dropout_distribution(
    symbols: tuple[str, ...], scores: Mapping[str, float], rate: float
) -> dict[tuple[str, ...], float]:
    """The exact distribution of BPE-dropout: every subset of merges dropped, the best of the rest done."""
    joined = [left + right for left, right in pairwise(symbols)]
    merges = [(scores[pair], -place) for place, pair in enumerate(joined) if pair in scores]
    result: Counter[tuple[str, ...]] = Counter()
    for subset in range(2 ** len(merges)):
        stay = [merge for number, merge in enumerate(merges) if subset >> number & 1]
        p = (1 - rate) ** len(stay) * rate ** (len(merges) - len(stay))
        if not stay:
            result[symbols] += p
            continue
        place = -max(stay)[1]
        merged = (*symbols[:place], symbols[place] + symbols[place + 1], *symbols[place + 2 :])
        for pieces, q in dropout_distribution(merged, scores, rate).items():
            result[pieces] += p * q
    return dict(result)


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("word", ["ab", "abab", "ababb"])
def test_bpe_dropout_draws_as_often_as_enumeration_says(word: str, rate: float) -> None:
    agree(frequencies(BpeSampler(SCORES, rate), word), dropout_distribution(tuple(word), SCORES, rate))


def test_no_dropout_is_plain_bpe(tokenizers: dict[str, Tokenizer]) -> None:
    """Two algorithms agree: our merges and SentencePiece's, on words of the text and on noise."""
    plain = build_tokenizer("bpe", ["the old garden wall is older than the house " * 3, "정원은 집 뒤에 있다"])
    processor = sentencepiece.SentencePieceProcessor(model_proto=plain._model)  # type: ignore[attr-defined]
    scores = {processor.id_to_piece(i): processor.get_score(i) for i in range(260, processor.get_piece_size())}
    sampler = BpeSampler(scores, 0.0)
    letters = random.Random(5)
    words = ["gardenwall", "housethe", *("".join(letters.choices("thegardnwlosui", k=11)) for _ in range(300))]
    for word in words:
        assert sampler.draw("▁" + word, random.Random(1).random) == processor.encode("▁" + word, out_type=str)


def test_high_alpha_is_the_best_segmentation(tokenizers: dict[str, Tokenizer]) -> None:
    unigram = tokenizers["unigram"]
    processor = sentencepiece.SentencePieceProcessor(model_proto=unigram._model)  # type: ignore[attr-defined]
    scores = {processor.id_to_piece(i): processor.get_score(i) for i in range(260, processor.get_piece_size())}
    sampler = UnigramSampler(scores, 1e6)
    for word in ("gardenwall", "walkstalks", "thethethe"):
        drawn = sampler.draw("▁" + word, random.Random(1).random)
        best = processor.encode("▁" + word, out_type=str)
        assert sum(scores[piece] for piece in drawn) == pytest.approx(sum(scores[piece] for piece in best))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_seed_alone_decides(tokenizers: dict[str, Tokenizer], kind: str) -> None:
    """Neither earlier calls, nor their order, nor a fresh copy change what a seed draws."""
    tokenizer = tokenizers[kind]
    line = "the older garden walls behind the new house talked and walked 정원을 좋아한다"
    first = [tokenizer.encode(line, sample_seed=seed) for seed in range(50)]
    again = [tokenizer.encode(line, sample_seed=seed) for seed in reversed(range(50))]
    assert first == again[::-1]
    assert len({tuple(ids) for ids in first}) > 3
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert [copy.encode(line, sample_seed=seed) for seed in range(50)] == first
    assert tokenizer.encode(line) == tokenizer.encode(line)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_forgetting_changes_nothing(
    tokenizers: dict[str, Tokenizer], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = tokenizers[kind]
    lines = [f"the garden{i} wall{i}s walked{i}" for i in range(30)]
    before = [tokenizer.encode(line, sample_seed=3) for line in lines]
    monkeypatch.setattr("jumok.text.sampling._REMEMBERED", 7)
    monkeypatch.setattr("jumok.text.sentencepiece._CACHED_WORDS", 7)
    assert [tokenizer.encode(line, sample_seed=3) for line in lines] == before


def test_without_sampling_a_seed_means_nothing() -> None:
    tokenizer = build_tokenizer("unigram", ["the old garden wall"] * 3, options=TokenizerOptions(sampling=0.0))
    assert tokenizer.encode("the garden", sample_seed=5) == tokenizer.encode("the garden")


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(0, 100), st.integers(0, 10**9))
def test_seeds_part_what_differs(run: int, epoch: int, sentence: int) -> None:
    here = stable_seed(run, epoch, sentence, "source")
    assert here == stable_seed(run, epoch, sentence, "source")
    assert 0 <= here < 2**64
    others = (
        stable_seed(run, epoch, sentence, "target"),
        stable_seed(run, epoch + 1, sentence, "source"),
        stable_seed(run, sentence + 101, epoch, "source"),
        stable_seed(run, epoch, str(sentence), "source"),
    )
    assert here not in others


def test_seeds_are_the_same_on_every_machine() -> None:
    assert stable_seed(1, 2, 3, "source") == 15071944430257635470
