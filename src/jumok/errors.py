"""Errors of our own: one sentence that names what is wrong and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class JumokError(Exception):
    """The base of every error a user can cause; the command line prints it and leaves with `exit_code`."""

    exit_code = 2


class ShapeError(JumokError, ValueError):
    """A tensor has the wrong shape or type for the argument it was given as."""


class NumericsError(JumokError, ValueError):
    """A number that must be finite is not."""


class UnknownNameError(JumokError, ValueError):
    """A name is not in the catalogue it was looked up in."""


class ConfigError(JumokError, ValueError):
    """A configuration key or value cannot be used."""


class DataError(JumokError, ValueError):
    """A corpus cannot be read or its sides do not match."""


class TextError(JumokError, ValueError):
    """A tokenizer cannot be built or loaded."""


class CheckpointError(JumokError):
    """A checkpoint is damaged, missing or cannot be written."""


class RunError(JumokError):
    """A run folder is missing, damaged, in use or of another format."""


class ReplacedError(RunError):
    """A file was replaced while it was read; reading again helps."""


class WriteError(JumokError):
    """A file cannot be written."""


class TrainingError(JumokError):
    """Training cannot continue."""


class DivergedError(TrainingError):
    """Training met a number that is not finite."""


class InputError(JumokError, ValueError):
    """What the user typed or piped in cannot be used."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the nearest known name, or nothing."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean '{near[0]}'?)" if near else ""
