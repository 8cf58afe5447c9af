"""Summarisation as a task: pairs of a text and its summary, trained like translation, with a head that copies."""

from collections.abc import Iterator
from typing import Any

from jumok.config import TranslationConfig, with_keys
from jumok.config.tasks import SummarisationConfig
from jumok.data.corpus import GeneratedCorpus, Pair, Weighted
from jumok.data.newsbook import generate
from jumok.evaluation.rouge import rouge, usual_tokenisation
from jumok.tasks.choosing import choose_for
from jumok.tasks.summarisation.metrics import METRICS, ROUGES
from jumok.tasks.task import Say
from jumok.tasks.translation.choose import PHRASEBOOK
from jumok.tasks.translation.prepare import Corpora
from jumok.tasks.translation.task import TranslationTask
from jumok.tasks.translation.validator import TextScores
from jumok.version import __version__

SLOTS = 40


def rouge_scores(texts: list[str], references: list[str]) -> dict[str, float]:
    """ROUGE of the validation texts, over tokens that suit their script."""
    names = [metric.name for metric in ROUGES]
    found = rouge(texts, references, usual_tokenisation(references), names)
    return {name: found.mean(name) for name in names}


class Summarisation(TranslationTask):
    """From texts with summaries, or the embedded newsbook, to a model that summarises."""

    name = "summarisation"
    scores = TextScores(METRICS, rouge_scores)

    def title(self, config: TranslationConfig) -> str:
        assert isinstance(config, SummarisationConfig)
        if config.data.is_phrasebook:
            return f"newsbook-{config.data.newsbook}-{config.model.preset}"
        return super().title(config)

    def choose(self, config: TranslationConfig, given: set[str], say: Say) -> TranslationConfig:
        choose = choose_for_newsbook if config.data.is_phrasebook else choose_slots
        return choose(config, given, say)

    @staticmethod
    def embedded(data: Any) -> Corpora:
        """The embedded newsbook."""
        return newsbook_corpora(data.newsbook, data.newsbook_size, min(1000, data.held_out))


def newsbook_corpora(language: str, size: int, dev: int) -> Corpora:
    """Reports and headlines of the newsbook, with gold links."""

    def corpus(split: str, size: int) -> GeneratedCorpus:
        def pairs() -> Iterator[Pair]:
            for line, report in enumerate(generate(language, split, size), 1):
                links = " ".join(f"{i}-{j}" for i, j in report.links)
                yield Pair(report.text, report.headline, line, links)

        return GeneratedCorpus(f"newsbook {language} {split}", f"{split} {size} {__version__}", pairs)

    return Corpora([Weighted(corpus("train", size))], corpus("dev", dev), None)


def choose_for_newsbook(config: TranslationConfig, keys: set[str], say: Say) -> TranslationConfig:
    """The config with what learns the newsbook in minutes on two cores, where the user left it open."""
    # Names occur a few times at most: a vocabulary of what is frequent leaves them unknown, as in real text.
    words = {"text.kind": "words", "text.min_count": 20} if config.text.kind in ("auto", "words") else {}
    chosen: dict[str, Any] = {
        "train.batch_tokens": 512,
        "train.validate_every": 250,
        **words,
        **({"text.slots": SLOTS} if words and takes_slots(config) else {}),
        **PHRASEBOOK.get(config.model.preset, {}),
    }
    return choose_for("newsbook", config, keys, say, steps=1000, warmup=100, chosen=chosen)


def choose_slots(config: TranslationConfig, keys: set[str], say: Say) -> TranslationConfig:
    """The config with ids for words that a vocabulary of words does not have, where the user left that open."""
    if config.text.kind != "words" or "text.slots" in keys or not takes_slots(config):
        return config
    say(f"Chosen for a vocabulary of words: text.slots={SLOTS}.")
    return with_keys(config, {"text.slots": SLOTS})


def takes_slots(config: TranslationConfig) -> bool:
    """Whether unknown words of a text can have ids of their own; a vocabulary of another run has those it has."""
    text = config.text
    return config.model.head.copies and text.joint and not text.byte_fallback and text.of_run is None
