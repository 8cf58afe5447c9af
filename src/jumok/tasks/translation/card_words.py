"""What the model card of a run that translates says; apart from training, so that a server need not import torch."""

from jumok.data.phrasebook import pair_languages
from jumok.tasks.task import CardWords

CARD = CardWords(
    tag="translation",
    does="Translates {source} to {target}",
    verb="translate",
    options=" --alignment",
    printed="found, found.alignment",
    languages=lambda data: pair_languages(data.phrasebook),
    text=lambda data: f"the embedded phrasebook `{data.phrasebook}` ({data.phrasebook_size:,} sentences)",
)
