"""The runs that are served, with their languages, tokenizers and calibrations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jumok.decoding.confidence import Confidence, believed
from jumok.decoding.translation import Translation
from jumok.run.calibration import Calibration, read_calibration
from jumok.run.folder import describe, for_text
from jumok.run.integrity import run_hash
from jumok.tasks.translation.card import languages
from jumok.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class ServedRun:
    """A run that can be asked."""

    name: str
    folder: Path
    source: str
    target: str
    tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    longest: int
    """Tokens that the model was trained for; of more it would read the beginning only."""
    calibration: Calibration | None = None

    def fits(self, sentence: str) -> bool:
        """Whether the model reads the whole sentence. Most are so short that their tokens need not be counted."""
        most = len(sentence.encode("utf-8", "replace")) + len(sentence.split())
        return most <= self.longest or len(self.tokenizer.encode(sentence)) <= self.longest

    def confidence(self, found: Translation, version: str) -> Confidence:
        """How sure the run is of a sentence; calibrated if its calibration belongs to the weights that translated."""
        fits = self.calibration is not None and self.calibration.sha256.startswith(version or "?")
        return believed(found, self.target_tokenizer).calibrate(self.calibration if fits else None)


def served_runs(folders: Sequence[Path]) -> dict[str, ServedRun]:
    """The runs by name; a second of the same name gets a number."""
    found: dict[str, ServedRun] = {}
    for folder in folders:
        about = describe(folder)
        name, number = folder.resolve().name, 2
        while name in found:
            name, number = f"{folder.resolve().name}-{number}", number + 1
        pair = languages(for_text(about.config, folder))
        tokenizers = about.source_tokenizer, about.target_tokenizer
        found[name] = ServedRun(name, folder, *pair, *tokenizers, about.config.data.max_length,
                                calibration_of(folder))  # fmt: skip
    return found


def calibration_of(folder: Path) -> Calibration | None:
    """The calibration of a run, which must have been fitted to its weights."""
    sha256 = run_hash(folder)
    return None if sha256 is None else read_calibration(folder, sha256)
