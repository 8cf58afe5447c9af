"""What a model makes of given pairs of sentences: their word alignment and their log-probability."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from jumok.alignment import argmax_links, threshold_links
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.forced import ForcedPairs, run_pairs, token_log_probs
from jumok.decoding.hypothesis import as_numpy, reduce_cross
from jumok.decoding.lists import float_rows
from jumok.decoding.run import Run
from jumok.decoding.translation import Matrix, PairAlignment, PairScore
from jumok.errors import RunError
from jumok.models.layout import Words
from jumok.shapes import EOS
from jumok.text.normal import words_of
from jumok.text.slots import beside, encode_beside

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class GivenPairs:
    """Pairs as a model reads them: ids of both sides, cut only where the model has no positions left."""

    run: Run
    words: list[tuple[list[str], list[str]]]
    sources: list[list[int]]
    targets: list[list[int]]
    cut: list[bool]

    @classmethod
    def of(cls, run: Run, pairs: Pairs) -> "GivenPairs":
        """The pairs in the tokens of a run."""
        read, written = run.reach.source_tokens, run.reach.target_tokens
        sources = [run.source_tokenizer.encode(source) for source, _ in pairs]
        targets = [encode_beside(run.target_tokenizer, target, source) for source, target in pairs]
        cut = [len(s) > read or len(t) > written for s, t in zip(sources, targets, strict=True)]
        words = [(words_of(source), words_of(target)) for source, target in pairs]
        return cls(run, words, [ids[:read] for ids in sources], [ids[:written] for ids in targets], cut)

    def cross(self, forced: ForcedPairs, choice: AlignmentChoice) -> Tensor:
        """The attention of a batch that a choice reads, [B, T, S]."""
        found = reduce_cross(forced.attention.cross, choice.layer, choice.heads)
        if found is None:
            raise no_attention(self.run)
        return found

    def weights(self, number: int, cross_TS: Tensor, choice: AlignmentChoice) -> Matrix:
        """The attention of one pair over words; rows and columns of padding are left out."""
        source_words, target_words = self.words[number]
        source = Words.of(self.run.source_tokenizer, self.sources[number], source_words, end=EOS)
        target = Words.of(self.run.target_tokenizer, self.targets[number], target_words)
        return choice.words(as_numpy(cross_TS[: target.count + 1, : source.count]), source, target)


def no_attention(run: Run) -> RunError:
    """The error of a model that cannot align."""
    return RunError(f"The model of {run.path} has no attention between the two sides to align with.")


def align_pairs(run: Run, pairs: Pairs, choice: AlignmentChoice, threshold: float | None) -> list[PairAlignment]:
    """The word alignment of each pair by forced decoding; a threshold links all weights above it."""
    given = GivenPairs.of(run, pairs)
    found: dict[int, PairAlignment] = {}
    for forced in run_pairs(run.model, given.sources, given.targets, run.model.device, need_weights=True):
        cross_BTS = given.cross(forced, choice)
        for row, number in enumerate(forced.numbers):
            weights = given.weights(number, cross_BTS[row], choice)
            links = argmax_links(weights) if threshold is None else threshold_links(weights, threshold)
            source, target = given.words[number]
            found[number] = PairAlignment(tuple(source), tuple(target), weights, links, given.cut[number])
    return [found[number] for number in range(len(pairs))]


def score_pairs(run: Run, pairs: Pairs) -> list[PairScore]:
    """The log-probability of each given translation, token by token."""
    given = GivenPairs.of(run, pairs)
    found: dict[int, PairScore] = {}
    for forced in run_pairs(run.model, given.sources, given.targets, run.model.device, need_weights=False):
        log_prob_BT = float_rows(token_log_probs(run.model, forced))
        for row, number in enumerate(forced.numbers):
            target = given.targets[number]
            steps = log_prob_BT[row][: len(target) + 1]
            tokens = beside(run.target_tokenizer, pairs[number][0]).names(target)
            found[number] = PairScore(sum(steps), tuple(steps), tokens, given.cut[number])
    return [found[number] for number in range(len(pairs))]
