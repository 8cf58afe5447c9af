"""`jumok adapt`: a run trained further on the user's text, in minutes, without forgetting.

The user's pairs are mixed with a sample of the old training text (rehearsal); where that is gone, weights are held
near the old ones (`train.anchor`). Everything else is ordinary training of a new run: its keys say what it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jumok.config import TranslationConfig, resolve, with_keys
from jumok.data.corpus import ParallelCorpus, open_corpus
from jumok.data.store import PairStore
from jumok.durable import disk_errors
from jumok.errors import ConfigError, RunError
from jumok.run.folder import read_translation_config, tokenizers_of
from jumok.run.integrity import run_hash
from jumok.run.names import ADAPTATION
from jumok.tasks.task import Say
from jumok.tasks.training import RESUMABLE, Training, begin, require_free, say_nothing
from jumok.tasks.translation.adaptation import report
from jumok.tasks.translation.adaptation.terms import Term, read_terms
from jumok.tasks.translation.adaptation.text import OldText, OwnText, old_text, own_text, write_pairs
from jumok.tasks.translation.card import languages
from jumok.tasks.translation.model import load
from jumok.tasks.translation.prepare import Corpora, open_corpora, prepare_run
from jumok.tasks.translation.task import TranslationTask

PASSES = 12
"""How often the user's text is seen, if the minutes allow; the best weights of validation are kept."""
RATE = 0.15
"""The learning rate, as a share of the old run's highest."""
ANCHOR = 30.0
"""`train.anchor` where there is no old text to rehearse."""
LEAST_STEPS, MOST_STEPS = 60, 5000
FILES = {"own": "own.jsonl", "old": "old.jsonl", "dev": "dev.jsonl"}


@dataclass(frozen=True)
class Request:
    """What is asked for: a run, a text, and how long it may take."""

    run: Path
    source: Path
    target: Path | None = None
    terms: Path | None = None
    out: Path | None = None
    minutes: float = 5.0
    mix: float = 1.0
    """Pairs of the old text that are seen for each pair of the user's."""
    source_language: str | None = None
    target_language: str | None = None
    overrides: tuple[str, ...] = ()


class Adapting(TranslationTask):
    """The translation task with text that is at hand already: it is kept in the run folder."""

    def __init__(self, own: OwnText, old: OldText, terms: Sequence[Term], about: dict[str, Any], run: Path) -> None:
        self.own, self.old, self.terms, self.about, self.run = own, old, terms, about, run

    def prepare(self, config: TranslationConfig, given: set[str], folder: Path, say: Say) -> None:
        def keep(config: TranslationConfig, ids: PairStore, say: Say) -> TranslationConfig:
            return config

        prepare_run(config, folder, say, keep, text=lambda staging: self.write(config, staging, say))

    def write(self, config: TranslationConfig, staging: Path, say: Say) -> Corpora:
        """Writes the texts and what the old run reaches on them; gives the corpora to learn from."""
        folder = staging / ADAPTATION
        with disk_errors(folder):
            folder.mkdir()
        write_pairs(folder / FILES["own"], self.own.train)
        write_pairs(folder / FILES["old"], self.old.train)
        # Half of each, so that training ends when what is forgotten outweighs what is learned.
        write_pairs(folder / FILES["dev"], [*self.own.dev, *self.old.dev[: len(self.own.dev)]])
        write_pairs(folder / report.OWN_TEST, self.own.test)
        write_pairs(folder / report.OLD_TEST, self.old.test)
        held_out, learned = ([source for source, _ in part] for part in (self.own.test, self.own.train))
        report.write_uses(folder, report.term_uses(self.terms, held_out, learned))
        say(f"Measuring {self.run} before it is adapted.")
        report.write_before(folder, self.about, report.measure(load(self.run, engine="auto"), folder))
        return open_corpora(config.data.model_copy(update={"folder": str(staging)}))


def start_adapting(request: Request, say: Say = say_nothing) -> Training:
    """A new run that is adapted while you iterate over it, as `jumok.start_training` gives one."""
    config = read_translation_config(request.run)
    if config.task != TranslationTask.name:
        raise RunError(f"{request.run} is a run of task={config.task}; only translation runs can be adapted.")
    out = (request.out or free_name(request.run)).absolute()
    require_free(out)
    own = own_text(opened(request, config), config)
    old = old_text(request.run, config, config.seed)
    old = old if request.mix > 0 else replace(old, train=[])
    terms = read_terms(request.terms) if request.terms else []
    say(f"{own.report.summary()}; {len(own.dev)} held out to stop by, {len(own.test)} to measure on.")
    adapted = with_keys(config, keys_of(request, config, own, old, out))
    adapted = with_overrides(adapted, request.overrides)
    kept_by = f"with {len(old.train):,} old pairs" if old.train else f"held by train.anchor={adapted.train.anchor:g}"
    about = {
        "run": request.run.resolve().name,
        "sha256": run_hash(request.run),
        "text": own.report.name,
        "pairs": len(own.train),
        "kept_by": kept_by,
        "old_name": old.test_name,
    }
    task = Adapting(own, old, terms, about, request.run)
    return begin(adapted, set(), out, say, task)


def opened(request: Request, config: TranslationConfig) -> ParallelCorpus:
    """The user's text; a TMX is read in the languages of the run."""
    named = (request.source_language, request.target_language)
    known = [given or (own if own != "?" else None) for given, own in zip(named, languages(config), strict=True)]
    if None in known and request.source.name.lower().removesuffix(".gz").endswith(".tmx"):
        raise ConfigError(f"{request.run} does not know its languages; name --source-language and --target-language.")
    return open_corpus(request.source, request.target, source_language=known[0], target_language=known[1])


def free_name(run: Path) -> Path:
    """`RUN-adapted`, or the next number if that is taken."""
    base = run.resolve()
    names = (base.with_name(f"{base.name}-adapted{number}") for number in ("", *(f"-{n}" for n in range(2, 10_000))))
    return next(path for path in names if not path.exists())


def keys_of(request: Request, config: TranslationConfig, own: OwnText, old: OldText, out: Path) -> dict[str, Any]:
    """The keys in which the new run is different from the old one."""
    batch, steps = lengths(request, config, own, old)
    run, each = str(request.run.absolute()), max(5, steps // 12)
    return {
        **text_keys(request, own, old, out),
        "text.of_run": run,
        "train.init_from": run,
        "train.anchor": 0.0 if old.train else ANCHOR,
        "train.batch_tokens": batch,
        "train.max_steps": steps,
        "train.max_minutes": request.minutes,
        "train.learning_rate": config.train.learning_rate * RATE,
        # Both losses rise at first, because the old weights had been brought to rest at a rate of 0, and fall below
        # where they began only when this rate comes down too: stopping at the first rise would keep almost nothing.
        # Where the minutes do not suffice for all steps, the rate comes down with the clock instead.
        "train.schedule": "cosine",
        "train.warmup": max(1, steps // 10),
        "train.validate_every": each,
        "train.save_every": each,
        "train.validate_size": 0,
        "train.stop_metric": "loss",
        "train.patience": 0,
        "train.average": 0,
        "train.snapshots": 0,
        "train.guided_alignment": 0.0,
        "train.pictures": 0,
    }


def text_keys(request: Request, own: OwnText, old: OldText, out: Path) -> dict[str, Any]:
    """The keys under `data`: the files that the new run folder holds."""
    corpora: list[dict[str, Any]] = [{"source": f"{ADAPTATION}/{FILES['own']}"}]
    if old.train:
        weight = request.mix * len(own.train) / len(old.train)
        corpora.append({"source": f"{ADAPTATION}/{FILES['old']}", "weight": weight})
    gone = ("source", "target", "alignment", "dev_target", "dev_alignment", "test_target", "cache")
    return {
        **{f"data.{key}": None for key in gone},
        "data.corpora": corpora,
        "data.folder": str(out),
        "data.dev_source": f"{ADAPTATION}/{FILES['dev']}",
        "data.test_source": f"{ADAPTATION}/{report.OWN_TEST}",
    }


def lengths(request: Request, config: TranslationConfig, own: OwnText, old: OldText) -> tuple[int, int]:
    """Tokens of a batch, and the steps of `PASSES` passes over the user's text with what is mixed in."""
    _, target = tokenizers_of(request.run)
    some = own.train[:1000]
    tokens = sum(len(target.encode(text)) + 1 for _, text in some) * len(own.train) // len(some)
    total = int(tokens * (1 + (request.mix if old.train else 0)))
    batch = min(config.train.batch_tokens, 1024 if total < 100_000 else 2048)
    return batch, min(MOST_STEPS, max(LEAST_STEPS, PASSES * total // batch))


def with_overrides(config: TranslationConfig, overrides: Sequence[str]) -> TranslationConfig:
    """The config with keys of `train` and `runtime` set otherwise by the user."""
    for item in overrides:
        if not item.startswith(RESUMABLE):
            raise ConfigError(f"'{item}' cannot be set for an adaptation; only train.* and runtime.* can.")
    found = resolve(config.model_dump(mode="json"), overrides) if overrides else config
    assert isinstance(found, TranslationConfig)
    return found
