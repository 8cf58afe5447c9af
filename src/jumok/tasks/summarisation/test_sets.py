"""What summarisation models are measured on, and the scores of several beside the baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from jumok.alignment import Links, score_alignments
from jumok.arguments import check_whole, each_line
from jumok.config.tasks import SummarisationConfig
from jumok.data.newsbook import generate
from jumok.decoding.options import Options
from jumok.errors import InputError
from jumok.evaluation.rouge import Tokenisation
from jumok.evaluation.summaries import SummaryEvaluation, evaluate_summaries

MOST_SAMPLES = 1_000_000


class Summarises(Protocol):
    """A model that is measured."""

    @property
    def attends(self) -> bool: ...

    def summarise_all(self, texts: Sequence[str | Sequence[str]], *, options: Options | None = None) -> list[Any]: ...

    def align(self, pairs: Sequence[tuple[str, str]]) -> list[Any]: ...


@dataclass(frozen=True)
class SummaryTest:
    """Texts with a reference each; `gold` links the words of the two."""

    name: str
    texts: list[str]
    references: list[str]
    gold: list[Links] | None = None


def given_test(texts: Sequence[str], references: Sequence[str], name: str = "the given texts") -> SummaryTest:
    """The test of given texts."""
    own, theirs = list(each_line(texts)), list(each_line(references))
    if not own:
        raise InputError("there is nothing to summarise: no texts were given.")
    if len(own) != len(theirs):
        raise InputError(f"{len(own)} texts and {len(theirs)} references were given; each text needs one.")
    return SummaryTest(name, own, theirs)


def own_test(config: Any, size: int) -> SummaryTest:
    """The test reports of the newsbook, for a run that learned it."""
    assert isinstance(config, SummarisationConfig)
    if not config.data.is_phrasebook:
        raise InputError("the run was trained on files; name a test set with --source and --reference.")
    reports = list(generate(config.data.newsbook, "test", size))
    texts, headlines = [one.text for one in reports], [one.headline for one in reports]
    return SummaryTest(f"newsbook {config.data.newsbook} test", texts, headlines, [one.gold for one in reports])


def measured(
    models: Mapping[str, Summarises],
    test: SummaryTest,
    beam: int,
    tokenisation: Tokenisation | None,
    samples: int,
) -> SummaryEvaluation:
    """The summaries of each model, scored beside the baselines; the alignment error where links are known and a
    model attends to the text while it writes."""
    check_whole("samples", samples, 1, MOST_SAMPLES)
    options, cut = Options(beam=beam), [0] * len(test.texts)
    written: dict[str, Sequence[str]] = {}
    for name, model in models.items():
        found = model.summarise_all(test.texts, options=options)
        written[name] = [one.text for one in found]
        cut = [max(most, one.source_cut) for most, one in zip(cut, found, strict=True)]
    scores = evaluate_summaries(
        written, test.texts, test.references, tokenisation=tokenisation, samples=samples, name=test.name
    )
    aligned = {name: model for name, model in models.items() if test.gold and model.attends}
    errors = {name: alignment_error(model, test) for name, model in aligned.items()}
    return replace(scores, alignment_error=errors, cut=sum(map(bool, cut)))


def alignment_error(model: Summarises, test: SummaryTest) -> float:
    """AER of the attention over the reference summaries, for words that come from the text.

    Words that both have are sure links, words said differently possible ones (Och and Ney 2003).
    """
    assert test.gold is not None
    aligned = model.align(list(zip(test.texts, test.references, strict=True)))
    linked = [{j for _, j in one.sure | one.possible} for one in test.gold]
    found = [{(i, j) for i, j in one.links if j in words} for one, words in zip(aligned, linked, strict=True)]
    return score_alignments(found, test.gold).aer
