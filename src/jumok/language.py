"""Which language a person is spoken to in: Korean or English."""

import os
from collections.abc import Mapping, Sequence

LANGUAGES = ("en", "ko")
VARIABLE = "JUMOK_LANG"


def language_of_locale(environment: Mapping[str, str] = os.environ) -> str:
    """The language of JUMOK_LANG; without it `ko` where the locale is Korean, else `en`."""
    if environment.get(VARIABLE) in LANGUAGES:
        return environment[VARIABLE]
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(variable):
            return "ko" if value.lower().startswith("ko") else "en"
    return "en"


def asked_language(arguments: Sequence[str]) -> str | None:
    """What `--lang` asks for anywhere among the arguments of a command line."""
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--lang":
            value = value if equals else "".join(arguments[place + 1 : place + 2])
            return value if value in LANGUAGES else None
    return None
