"""The words of explanations: one table per language, the same keys in both."""

from collections.abc import Mapping

from jumok.errors import UnknownNameError, did_you_mean
from jumok.inspect.english import ENGLISH
from jumok.inspect.korean import KOREAN

LANGUAGES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "ko": KOREAN}


class Texts:
    """The texts of one language: `say("weights.title")`, with values for what stands in braces."""

    def __init__(self, lang: str) -> None:
        if lang not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise UnknownNameError(f"Unknown language '{lang}'{did_you_mean(lang, LANGUAGES)}; one of {known}.")
        self.lang = lang
        self._table = LANGUAGES[lang]

    def __call__(self, key: str, **values: object) -> str:
        return self._table[key].format(**values)

    def get(self, key: str, otherwise: str, **values: object) -> str:
        """The text of `key`, or that of `otherwise` where there is none."""
        return self(key if key in self._table else otherwise, **values)
