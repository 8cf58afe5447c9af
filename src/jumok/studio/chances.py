"""How likely runs find the right words of many test sentences: what a single sentence cannot show."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from jumok.asgi.cancelling import check_wanted
from jumok.data.phrasebook import Example, generate
from jumok.data.phrasebook.well_known import WELL_KNOWN
from jumok.evaluation.chances import MeanChance, mean_chances, word_chances
from jumok.shapes import UNK
from jumok.studio.gold import pair_of
from jumok.studio.payload_lessons import ChancesAnswer, ChancesRequest, MeanPoint, RunChances
from jumok.studio.payload_views import ExamplePair
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.text.slots import encode_beside

WIDTH = 3
"""Lengths that are averaged together."""
PLACES = 12

Pair = tuple[list[int], list[int]]


def chances(opened: Sequence[Session], request: ChancesRequest) -> ChancesAnswer:
    """The averages of each run over the same sentences."""
    pairs = {pair_of(session) for session in opened}
    pair = pairs.pop()
    if pair is None or pairs:
        raise invalid("The runs must have been trained on one pair of the phrasebook; choose others.")
    shown, well_known = (
        [one for one in some if all(_known(session, one) for session in opened)]
        for some in (_sentences(pair, request.sentences), _well_known(pair))
    )
    return ChancesAnswer(
        sentences=len(shown),
        runs=[_averages(session, shown) for session in opened],
        examples=list(_one_of_each_length([*well_known, *shown])),
    )


@lru_cache(maxsize=4)
def _sentences(pair: str, count: int) -> list[Example]:
    return list(generate(pair, "test", count))


@lru_cache(maxsize=4)
def _well_known(pair: str) -> list[Example]:
    """Sentences that texts about attention speak of: they are shown, but not averaged, because they are trained on."""
    return list(generate(pair, "train", len(WELL_KNOWN)))


def _known(session: Session, example: Example) -> bool:
    """Whether the run knows every word of both sides and can read the sentence whole."""
    source, target = (
        session.run.source_tokenizer.encode(example.source),
        encode_beside(session.run.target_tokenizer, example.target, example.source),
    )
    return UNK not in source and UNK not in target and len(source) <= session.inspector.longest_source


def _averages(session: Session, shown: Sequence[Example]) -> RunChances:
    check_wanted()
    pairs = [
        (
            session.run.source_tokenizer.encode(one.source),
            encode_beside(session.run.target_tokenizer, one.target, one.source),
        )
        for one in shown
    ]
    found = word_chances(session.run.model, pairs)
    lengths = [len(one.source.split()) for one in shown]
    groups = [WIDTH * (length // WIDTH) + (WIDTH - 1) / 2 for length in lengths]
    every = [p for row in found for p in row]
    return RunChances(
        run=session.ref,
        mean=round(sum(every) / max(1, len(every)), 6),
        by_length=_points(mean_chances((group, p) for group, row in zip(groups, found, strict=True) for p in row)),
        by_place=_points(mean_chances((place, p) for row in found for place, p in enumerate(row[:PLACES], start=1))),
    )


def _points(means: Sequence[MeanChance]) -> list[MeanPoint]:
    return [MeanPoint(at=one.at, count=one.count, mean=round(one.mean, 6)) for one in means]


def _one_of_each_length(shown: Sequence[Example]) -> Iterator[ExamplePair]:
    first = {len(one.source.split()): one for one in reversed(shown)}
    for length in sorted(first):
        one = first[length]
        yield ExamplePair(source=one.source, target=one.target, links=list(one.links))
