"""What a translation run is measured on: text that is given, or the phrasebook's own test sentences."""

from collections.abc import Sequence
from pathlib import Path

from jumok.alignment import Links, read_pharaoh
from jumok.config import TranslationConfig
from jumok.data.lines import file_lines
from jumok.data.phrasebook import generate
from jumok.errors import InputError
from jumok.evaluation.evaluate import TestSet


def given_test_set(
    sources: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]], gold: Sequence[Links] | None = None
) -> TestSet:
    """The test set of sources with one list of references, or several."""
    several = [references] if not references or isinstance(references[0], str) else references
    links = None if gold is None else list(gold)
    return TestSet("the given text", list(sources), [list(map(str, one)) for one in several], links)


def read_test_set(
    config: TranslationConfig, source: Path | None, references: Sequence[Path], gold: Path | None, size: int
) -> TestSet:
    """The user's files, or the phrasebook's own test set for a run that was trained on it."""
    if source is not None:
        if not references:
            raise InputError("--source needs --reference: the file its translations are compared with.")
        links = read_pharaoh(gold) if gold else None
        return TestSet(source.name, list(file_lines(source)), [list(file_lines(path)) for path in references], links)
    if references or gold:
        raise InputError("--reference and --gold belong to a --source; name it too.")
    return own_test_set(config, size)


def own_test_set(config: TranslationConfig, size: int) -> TestSet:
    """The test set of the corpus a run was trained on, which only the embedded one has."""
    if not config.data.is_phrasebook:
        raise InputError("the run was trained on files; name a test set with --source and --reference.")
    return phrasebook_test_set(config.data.phrasebook, size)


def phrasebook_test_set(pair: str, size: int) -> TestSet:
    """The embedded corpus's test sentences with their gold links, and long ones for the scores by length."""
    examples = list(generate(pair, "test", size))
    long = list(generate(pair, "long", max(50, size // 5)))
    return TestSet(
        f"phrasebook {pair} test",
        [one.source for one in examples],
        [[one.target for one in examples]],
        [Links(frozenset(one.links)) for one in examples],
        [one.source for one in long],
        [[one.target for one in long]],
    )
