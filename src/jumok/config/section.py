"""What every section of the config is: strict keys, each with one line of meaning."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the config: unknown keys are errors, values are checked on assignment."""

    # A teacher_forcing of 0.7 or a file called 2024 is text, whatever YAML makes of it.
    model_config = ConfigDict(extra="forbid", validate_assignment=True, coerce_numbers_to_str=True)

    @classmethod
    def instead(cls) -> dict[str, str]:
        """What to write instead of a key that only other kinds of this section have: key → end of a sentence."""
        return {}
