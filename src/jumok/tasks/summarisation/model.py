"""A trained summarisation run at work: summarises, and says which words it copied and which sentences it skipped."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, EngineName, open_engine

if TYPE_CHECKING:
    from jumok.evaluation.rouge import Tokenisation
    from jumok.evaluation.summaries import SummaryEvaluation


@dataclass(frozen=True)
class Summary:
    """A summary, and where it comes from."""

    text: str
    words: tuple[str, ...]
    copied: tuple[bool, ...]
    """For each word whether the source has it too."""
    looked: tuple[float, ...]
    """For each sentence of the source its share of the attention."""
    source_cut: int
    """Tokens of the source that were not read, because the model was trained for fewer."""
    score: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class SummarisationModel(Translator):
    """A model that summarises; everything that a translator can do, it can do too."""

    def summarise(self, text: str | Sequence[str], *, options: Options | None = None) -> Summary:
        """The summary of a text, or of a list of sentences or paragraphs."""
        return self.summarise_all([text], options=options)[0]

    def summarise_all(self, texts: Sequence[str | Sequence[str]], *, options: Options | None = None) -> list[Summary]:
        """The summary of each text."""
        parts = [[text] if isinstance(text, str) else list(text) for text in texts]
        lines = [" ".join(" ".join(part.split()) for part in one) for one in parts]
        found = self.translate(lines, options=options or Options())
        return [summary_of(one, part) for one, part in zip(found, parts, strict=True)]

    def evaluate(
        self,
        texts: Sequence[str] | None = None,
        references: Sequence[str] = (),
        *,
        size: int = 500,
        beam: int = 4,
        tokenisation: "Tokenisation | None" = None,
        samples: int = 1000,
    ) -> "SummaryEvaluation":
        """ROUGE with intervals beside lead, random and oracle sentences; novelty, copying and repetition.

        texts          what is summarised; the newsbook's test reports (`size` of them) if not given
        references     a summary for each text
        beam           hypotheses followed; 1 is greedy
        tokenisation   stemmed, words, characters or morphemes; one that suits the script if not given
        samples        bootstrap samples of the intervals
        """
        from jumok.tasks.summarisation.test_sets import given_test, measured, own_test

        test = own_test(self.run.config, size) if texts is None else given_test(texts, references)
        return measured({self.run.name: self}, test, beam, tokenisation, samples)


def summary_of(found: Translation, parts: Sequence[str]) -> Summary:
    """A summary from what the search found; attention is added up over the parts that were given."""
    source = set(found.source_words)
    copied = tuple(word in source for word in found.target_words)
    looked: list[float] = []
    start = 0
    for part in parts:
        end = start + len(part.split())
        looked.append(0.0 if found.weights is None else float(found.weights[:, start:end].sum()))
        start = end
    total = sum(looked) or 1.0
    return Summary(
        found.text, found.target_words, copied, tuple(x / total for x in looked), found.source_cut, found.score
    )


def load(
    path: str | Path, device: str = "cpu", *, engine: EngineName = "torch", ensemble: Sequence[str | Path] = ()
) -> SummarisationModel:
    """The model of a run folder; `engine` and `ensemble` as for translation."""
    return SummarisationModel([open_engine(path, device, EngineChoice(engine), ensemble)])
