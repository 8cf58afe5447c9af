"""A trained translation run at work: translates, aligns, scores, encodes, and measures itself.

torch is imported only where the engine needs it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jumok.engine.loading import EngineName
from jumok.engine.loading import load as load_translator
from jumok.engine.translator import QuickTranslator
from jumok.tasks.translation.measured import Measured

if TYPE_CHECKING:
    from jumok.engine.packing import Precision
    from jumok.tasks.translation.torch_model import TranslationModel


class QuickTranslationModel(Measured, QuickTranslator):
    """A trained model with its tokenizers over a quick engine."""


def load(
    path: str | Path,
    device: str = "cpu",
    *,
    engine: EngineName = "torch",
    precision: "Precision" = "float32",
    shortlist: bool = False,
    workers: int = 1,
    ensemble: Sequence[str | Path] = (),
) -> "TranslationModel | QuickTranslationModel":
    """The model of a run folder.

    path        the run folder
    device      cpu, cuda, cuda:0, …
    engine      torch: everything can be seen and changed; fast: our compiled engine for recurrent models, the same
                translations in float32; ctranslate2: what `jumok export --to ctranslate2` wrote; auto: fast where it
                can, else torch
    precision   float32, or int8 for the quick engines: nearly the same translations, sooner
    shortlist   score only the likely words of each sentence (`jumok shortlist`)
    workers     batches translated at a time by the quick engines; 0: one per core
    ensemble    other runs whose probabilities are averaged with this one's (torch)
    """
    found = load_translator(
        path, device, engine=engine, precision=precision, shortlist=shortlist, workers=workers, ensemble=ensemble
    )
    if isinstance(found, QuickTranslator):
        return QuickTranslationModel(found.run, found.engine)
    from jumok.tasks.translation.torch_model import TranslationModel

    return TranslationModel(found.run, found.runs[1:])
