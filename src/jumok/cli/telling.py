"""What the command line tells a person besides its results, in the language of the person."""

import re
import sys

from jumok.language import language_of_locale

_MARKS = {"error": "오류", "warning": "경고", "note": "참고"}


def told(sentence: str) -> str:
    """The sentence, with `error:` and the like before it, in the language of the person, as far as it is translated."""
    if language_of_locale() != "ko":
        return sentence
    from jumok.cli.korean_errors import in_korean

    mark = re.match(rf"({'|'.join(_MARKS)}): ", sentence)
    return f"{_MARKS[mark[1]]}: {in_korean(sentence[mark.end() :])}" if mark else in_korean(sentence)


def tell(sentence: str) -> None:
    """Prints a sentence that a person should read, beside the results."""
    print(told(sentence), file=sys.stderr, flush=True)
