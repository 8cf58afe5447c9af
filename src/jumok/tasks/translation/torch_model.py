"""A translation run over torch."""

from jumok.decoding.translator import Translator
from jumok.tasks.translation.measured import Measured


class TranslationModel(Measured, Translator):
    """A trained model with its tokenizers, in which everything can be seen and changed."""
