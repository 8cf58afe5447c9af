"""What every section of the config is: strict keys, each with one line of meaning."""

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from jumok.arguments import LARGEST_SEED

# The most that any key may count; no machine holds as many of anything that is counted here.
LARGEST = LARGEST_SEED


def _numbers(value: Any) -> Iterator[int | float]:
    """Every number in a value, or in the lists and mappings that it is made of."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)


def _kinds(annotation: Any) -> set[Any]:
    """The types that an annotation is made of."""
    parts = get_args(annotation)
    return set[Any]().union(*(_kinds(part) for part in parts)) if parts else {annotation}


def _has_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, list | tuple) and any(_has_truth(part) for part in value))


class Section(BaseModel):
    """A part of the config: unknown keys are errors, values are checked on assignment."""

    # A teacher_forcing of 0.7 or a file called 2024 is text, whatever YAML makes of it.
    model_config = ConfigDict(extra="forbid", validate_assignment=True, coerce_numbers_to_str=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def no_truth_for_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        """The value; true is not the number 1, whatever Python makes of it."""
        kinds = _kinds(cls.model_fields[info.field_name or ""].annotation)
        if _has_truth(value) and kinds & {int, float} and not kinds & {bool, Any}:
            raise ValueError("input should be a number")
        return value

    @field_validator("*", mode="after")
    @classmethod
    def bounded(cls, value: Any) -> Any:
        """The value, in which no number is infinite or too large to count anything, free-form options included."""
        for number in _numbers(value):
            if not math.isfinite(number):
                raise ValueError(f"{number} is not finite")
            if 0 < abs(number) < sys.float_info.min:  # torch may take it for 0, and so read another config
                raise ValueError(f"{number} is too close to 0")
            if isinstance(number, int) and abs(number) > LARGEST:
                raise ValueError(f"a whole number must be from -{LARGEST} to {LARGEST}")
        return value

    @classmethod
    def instead(cls) -> dict[str, str]:
        """What to write instead of a key that only other kinds of this section have: key → end of a sentence."""
        return {}
