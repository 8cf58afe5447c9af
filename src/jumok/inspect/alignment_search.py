"""Which layer and heads of a Transformer align best? Each candidate is tried on held-out pairs.

With gold links the judge is their error rate. Without them it is a model of the other direction (two that agree
are rarely both wrong; Chen et al. 2020 choose by that), or, with neither, what the model itself shows when source words
are taken away one by one: the aligned word should be the one whose loss hurts most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jumok.alignment import Link, Links, argmax_links, score_alignments, transpose
from jumok.decoding.alignment_choice import AlignmentChoice, found_by, write_choice
from jumok.decoding.forced import run_pairs
from jumok.decoding.given_pairs import GivenPairs, Pairs, no_attention
from jumok.decoding.translator import Translator
from jumok.inspect.inspector import Inspector
from jumok.inspect.what_if import Plan
from jumok.text.normal import words_of
from jumok.text.slots import beside

REMOVAL = "removal"
Judge = Callable[[Sequence[list[Link]]], float]


@dataclass(frozen=True)
class Tried:
    """A candidate and its error on the held-out pairs, 0 to 1."""

    choice: AlignmentChoice
    error: float


def candidates(layers: Sequence[int]) -> list[AlignmentChoice]:
    """Every layer (given by its number of heads), its mean and each head alone, read at either step."""
    found: list[AlignmentChoice] = []
    for layer, heads in enumerate(layers):
        for which in [None, *((head,) for head in range(heads) if heads > 1)]:
            found += [AlignmentChoice(layer, which, shift) for shift in (False, True)]
    return found


def search(
    translator: Translator,
    pairs: Pairs,
    *,
    gold: Sequence[Links] | None = None,
    reverse: Translator | None = None,
) -> tuple[list[Tried], str]:
    """All candidates, the best first, and by what they were judged: `gold`, `agreement` or `removal`.

    translator   the model whose layers and heads are tried
    pairs        a source and a target line each
    gold         gold links of each pair, to judge by their error rate
    reverse      a model of the other direction, to judge by agreement with it
    """
    links = links_of_candidates(translator, pairs)
    if gold is not None:
        judged_by, judge = "gold", _against(gold)
    elif reverse is not None:
        judged_by = "agreement"
        backward = reverse.align([(target, source) for source, target in pairs])
        judge = _against([Links(frozenset(transpose(pair.links))) for pair in backward])
    else:
        judged_by, judge = REMOVAL, _against(_most_missed(translator, pairs))
    tried = [Tried(choice, judge(found)) for choice, found in links.items()]
    return sorted(tried, key=lambda one: one.error), judged_by


def settle(translator: Translator, pairs: Pairs) -> str | None:
    """Finds the reading of a Transformer's attention by removal and keeps it with the run; gives a sentence about it.

    None where there is nothing to choose: a recurrent decoder has one matrix, guided heads are known, and a choice that
    was made by gold links or by another direction is better than this one.
    """
    config, folder = translator.run.config, translator.run.path
    decoder = config.model.decoder
    if not decoder.several_readings or not decoder.attends or config.train.guided_alignment > 0:
        return None
    if (found_by(folder) or REMOVAL) != REMOVAL:
        return None
    tried, judged_by = search(translator, pairs)
    best = tried[0].choice
    write_choice(folder, best, judged_by)
    return (
        f"Word alignment is read from {best}, chosen by what {len(pairs)} validation sentences lose without each word."
    )


def _against(gold: Sequence[Links]) -> Judge:
    return lambda found: score_alignments(found, gold).aer


def links_of_candidates(translator: Translator, pairs: Pairs) -> dict[AlignmentChoice, list[list[Link]]]:
    """The links that each candidate gives to each pair, from one forced pass."""
    given = GivenPairs.of(translator.readable.run, pairs)
    found: dict[AlignmentChoice, list[list[Link]]] = {}
    for forced in run_pairs(translator.model, given.sources, given.targets, translator.device, need_weights=True):
        if not forced.attention.cross:
            raise no_attention(given.run)
        for choice in candidates([layer.shape[1] for layer in forced.attention.cross]):
            cross_BTS = given.cross(forced, choice)
            links = found.setdefault(choice, [[] for _ in pairs])
            for row, number in enumerate(forced.numbers):
                links[number] = argmax_links(given.weights(number, cross_BTS[row], choice))
    return found


def _most_missed(translator: Translator, pairs: Pairs) -> list[Links]:
    """For each target word the source word without which it becomes least likely."""
    inspector = Inspector(translator.readable.run)
    return [Links(frozenset(_missed(inspector, source, target))) for source, target in pairs]


def _missed(inspector: Inspector, source: str, target: str) -> set[Link]:
    if not words_of(source):
        return set()
    tokenizer = beside(inspector.run.target_tokenizer, source)
    ids = tokenizer.encode(target)[: inspector.run.reach.target_tokens]
    effects_TS = inspector.effects(inspector.replay(Plan(inspector.read(source)), ids))
    word_of_token = tokenizer.word_of_token(ids)
    links: set[Link] = set()
    for word in sorted(set(word_of_token) - {-1}):
        rows = [t for t, of in enumerate(word_of_token) if of == word]
        effect_S = effects_TS[rows].sum(axis=0)
        if effect_S.size and effect_S.max() > 0:
            links.add((int(effect_S.argmax()), word))
    return links
