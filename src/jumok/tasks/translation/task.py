"""Translation as a task: pairs of sentences in, a model that translates out."""

import re
from itertools import islice
from pathlib import Path

from jumok.config import TranslationConfig
from jumok.data.store import PairStore
from jumok.errors import ConfigError, InputError
from jumok.inspect.alignment_search import settle
from jumok.run.folder import vocabulary_of, write_config
from jumok.run.names import ADAPTATION
from jumok.tasks.task import Place, Say, Task
from jumok.tasks.translation.assemble import build_setup
from jumok.tasks.translation.card import write_card
from jumok.tasks.translation.check import check_config, check_recipe
from jumok.tasks.translation.choose import choose_for_phrasebook, choose_length
from jumok.tasks.translation.model import load
from jumok.tasks.translation.prepare import Prepared, open_run, phrasebook_corpora, prepare_run
from jumok.tasks.translation.validator import BLEU_AND_CHRF
from jumok.text.tokenizer import load_tokenizer
from jumok.training.loop import Setup
from jumok.training.report import Listener, Pictures

# Validation sentences, and their longest, that the reading of a Transformer's attention is chosen on.
SETTLED_ON, SETTLED_WORDS = 30, 30


class TranslationTask(Task[TranslationConfig]):
    """From parallel text, or the embedded phrasebook, to a translator."""

    name = "translation"

    def title(self, config: TranslationConfig) -> str:
        data = config.data
        stem = data.phrasebook
        if data.source or data.corpora:
            first = data.source or data.corpora[0].source
            stem = re.sub(r"[^\w.-]+", "-", Path(first.removesuffix(".gz")).stem) or "run"
        return f"{stem}-{config.model.preset}"

    def check_recipe(self, config: TranslationConfig) -> None:
        check_recipe(config)

    def check(self, config: TranslationConfig, *, begins: bool = True) -> None:
        check_config(config, begins=begins)

    def choose(self, config: TranslationConfig, given: set[str], say: Say) -> TranslationConfig:
        # What is chosen for the phrasebook needs no data; for other text it follows from the amount, when it is read.
        return choose_for_phrasebook(config, given, say) if config.data.is_phrasebook else config

    def prepare(self, config: TranslationConfig, given: set[str], folder: Path, say: Say) -> None:
        def choose(config: TranslationConfig, ids: PairStore, say: Say) -> TranslationConfig:
            if config.train.guided_alignment > 0 and not ids.aligned:
                raise ConfigError(
                    "train.guided_alignment needs word links of the training text; set data.alignment to a Pharaoh "
                    "file."
                )
            return config if config.data.is_phrasebook else choose_length(config, given, ids, say)

        prepare_run(config, folder, say, choose, self.embedded)

    embedded = staticmethod(phrasebook_corpora)
    """The corpus that is learned where no files are named."""
    scores = BLEU_AND_CHRF
    """What validation computes of written texts."""

    def rewrite(self, folder: Path, config: TranslationConfig) -> None:
        vocabulary = vocabulary_of(load_tokenizer(folder, "source"), load_tokenizer(folder, "target"))
        write_config(folder, config, vocabulary)

    def open(self, folder: Path, config: TranslationConfig) -> Prepared:
        return open_run(folder, config)

    def setup(self, opened: Prepared, place: Place, say: Say | None) -> Setup:
        return build_setup(opened, place.processes, place.device, place.interrupts, place.environment, say, self.scores)

    def listeners(self, opened: Prepared) -> list[Listener]:
        return [Pictures(opened.folder)]

    def finish(self, opened: Prepared, complete: bool, say: Say) -> None:
        if complete:
            settle_alignment(opened, say)
            self.report(opened.folder, say)
        try:
            write_card(opened.folder)
        except InputError as error:  # a README.md of the user's own
            say(f"warning: {error}")

    def report(self, folder: Path, say: Say) -> None:
        """What an adaptation gained and cost, where the run is one."""
        if not (folder / ADAPTATION).is_dir():
            return
        from jumok.tasks.translation.adaptation.report import report_lines, write_report

        for line in report_lines(write_report(folder)):
            say(line)


def settle_alignment(run: Prepared, say: Say) -> None:
    """Which heads of a Transformer align words best, found on a few validation sentences."""
    if not run.config.model.decoder.several_readings:
        return
    fitting = (pair for pair in run.dev_text if 3 <= len(pair.source.split()) <= SETTLED_WORDS)
    pairs = [(pair.source, pair.target) for pair in islice(fitting, SETTLED_ON)]
    found = settle(load(run.folder), pairs) if pairs else None
    if found is not None:
        say(found)
