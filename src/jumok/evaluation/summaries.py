"""How good summaries are: ROUGE beside baselines, and how much of them is new, copied or repeated."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from jumok.evaluation.baselines import baselines
from jumok.evaluation.report import Table
from jumok.evaluation.rouge import ROUGE, Rouge, Score, Tokenisation, rouge, usual_tokenisation, words

NGRAMS = (1, 2, 3)


@dataclass(frozen=True)
class Habits:
    """Shares in per cent, of the words of all summaries."""

    novel: tuple[float, float, float]
    """Uni-, bi- and trigrams of the summaries that their texts do not have."""
    copied: float
    """Words that their texts have too."""
    repeated: float
    """Trigrams that a summary has more than once."""
    words: float
    """Mean length of a summary."""


@dataclass(frozen=True)
class SummaryScores:
    """What was measured of one system's summaries."""

    name: str
    rouge: dict[str, Score]
    habits: Habits
    of_each: Rouge


@dataclass(frozen=True)
class SummaryEvaluation:
    """Systems and baselines on one test set."""

    test_set: str
    tokenisation: Tokenisation
    count: int
    systems: list[SummaryScores]
    baselines: list[SummaryScores]
    alignment_error: dict[str, float] = field(default_factory=dict)
    """AER of each system against gold links, where the test set has them."""
    cut: int = 0
    """Texts of which a system did not read the end."""
    samples: int = 1000
    """Bootstrap samples of the intervals."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: `systems` and `baselines`, each with `rouge1` … and their intervals."""
        every = {"systems": self.systems, "baselines": self.baselines}
        return {
            "test_set": self.test_set,
            "tokenisation": self.tokenisation,
            "sentences": self.count,
            "cut": self.cut,
            **({"aer": self.alignment_error} if self.alignment_error else {}),
            **{side: [_tree(one) for one in rows] for side, rows in every.items()},
        }

    def tables(self) -> list[Table]:
        """ROUGE with intervals, then the habits; baselines below the systems in both."""
        every = [*self.systems, *self.baselines]
        caption = (
            f"F1 × 100 over {self.tokenisation}, {self.count} texts of {self.test_set}; in brackets the 95% interval "
            f"of {self.samples} bootstrap sample{'s' * (self.samples != 1)}."
        )
        scores = Table(
            f"ROUGE ({self.tokenisation})",
            ("system", *ROUGE.values()),
            tuple((one.name, *(_with_interval(one.rouge[name]) for name in ROUGE)) for one in every),
            caption,
        )
        columns = (
            "system",
            "new words %",
            "new bigrams %",
            "new trigrams %",
            "copied %",
            "repeated trigrams %",
            "words",
        )
        rows = tuple(
            (one.name, *(round(x, 1) for x in (*one.habits.novel, one.habits.copied, one.habits.repeated)),
             round(one.habits.words, 1))
            for one in every
        )  # fmt: skip
        found = [scores, Table("Novelty, copying, repeated trigrams", columns, rows, self._cut_note())]
        if self.alignment_error:
            errors = tuple((name, round(error, 3)) for name, error in self.alignment_error.items())
            note = "Links between words that text and reference share are sure, those between paraphrases possible."
            found.append(Table("Alignment", ("system", "AER"), errors, note))
        return found

    def _cut_note(self) -> str:
        """Says how many texts were too long."""
        return f"{self.cut} texts are longer than the models read; only their beginnings were summarised." * bool(
            self.cut
        )


def evaluate_summaries(
    systems: dict[str, Sequence[str]],
    texts: Sequence[str],
    references: Sequence[str],
    *,
    tokenisation: Tokenisation | None = None,
    samples: int = 1000,
    name: str = "the given texts",
) -> SummaryEvaluation:
    """Every system and every baseline, measured in the same way; the tokenisation fits the script if not given."""
    counted = tokenisation or usual_tokenisation(references)

    def measured(title: str, found: Sequence[str]) -> SummaryScores:
        scores = rouge(found, references, counted)
        intervals = {measure: scores.score(measure, samples) for measure in ROUGE}
        return SummaryScores(title, intervals, habits(found, texts), scores)

    simple = baselines(texts, references, counted)
    return SummaryEvaluation(
        name,
        counted,
        len(texts),
        [measured(title, found) for title, found in systems.items()],
        [measured(title, found) for title, found in simple.items()],
        samples=samples,
    )


def habits(summaries: Sequence[str], texts: Sequence[str]) -> Habits:
    """What is new, copied and repeated, over words of any script."""
    novel, every = [0] * len(NGRAMS), [0] * len(NGRAMS)
    repeated = total = 0
    for summary, text in zip(summaries, texts, strict=True):
        said, given = words(summary), words(text)
        for place, n in enumerate(NGRAMS):
            grams, known = ngrams(said, n), set(ngrams(given, n))
            every[place] += len(grams)
            novel[place] += sum(gram not in known for gram in grams)
        trigrams = ngrams(said, 3)
        repeated += len(trigrams) - len(set(trigrams))
        total += len(said)
    one, two, three = (100 * new / max(1, count) for new, count in zip(novel, every, strict=True))
    share = 100 * repeated / max(1, every[-1])
    return Habits((one, two, three), 100 - one if total else 0.0, share, total / max(1, len(summaries)))


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """The n-grams of a text."""
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def _tree(one: SummaryScores) -> dict[str, Any]:
    return {"name": one.name, **{name: asdict(score) for name, score in one.rouge.items()}, **asdict(one.habits)}


def _with_interval(score: Score) -> str:
    return f"{score.value:.1f} ({score.low:.1f}–{score.high:.1f})"
