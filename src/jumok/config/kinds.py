"""Sections that differ by kind: `kind: rnn` has other keys than `kind: transformer`, and each kind has a class.

A key that another kind has is refused by naming that kind. Kinds are kept in a table, so that a plugin can add one:
give the new section class a `kind` of its own and call `jumok.models.build.add_encoder` or `add_decoder`.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import core_schema

from jumok.config.section import Section
from jumok.errors import ConfigError, did_you_mean

Sections = dict[str, type[Section]]


class ByKind:
    """The annotation of a field whose class follows from its `kind`, looked up in a table of sections."""

    def __init__(self, key: str, sections: Sections, default: str) -> None:
        self.key, self.sections, self.default = key, sections, default

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        dump = core_schema.plain_serializer_function_ser_schema(lambda section: section.model_dump(mode="json"))
        return core_schema.no_info_plain_validator_function(self.section_of, serialization=dump)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return {"oneOf": [section.model_json_schema() for section in self.sections.values()]}

    def section_of(self, given: Any) -> Section:
        """The section of a mapping that may name its kind; a section stays as it is."""
        if isinstance(given, Section):
            return given
        if not isinstance(given, Mapping):
            raise ConfigError(f"Config key '{self.key}' must hold keys and values, not {given!r}.")
        section = self.find(given.get("kind", self.default))
        try:
            return section.model_validate(given)
        except ValidationError as error:
            raise ConfigError(self._describe(section, error)) from None

    def find(self, kind: Any) -> type[Section]:
        """The section class of a kind."""
        if kind not in self.sections:
            known = ", ".join(self.sections) + " (a kind of your own needs its plugin: jumok --plugin FILE …)"
            raise ConfigError(
                f"Unknown {self.key}.kind '{kind}'{did_you_mean(str(kind), self.sections)}; one of {known}."
            )
        return self.sections[kind]

    def _describe(self, section: type[Section], error: ValidationError) -> str:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] != "extra_forbidden":
            return describe_value(f"{self.key}.{name}", first)
        others = [kind for kind, other in self.sections.items() if name in other.model_fields]
        kind = section.model_fields["kind"].default
        if others:
            listed = " or ".join(f"{self.key}.kind={other}" for other in others)
            hint = section.instead().get(name, "")
            return f"{self.key}.{name} belongs to {listed}, and {self.key}.kind is {kind}; leave it out{hint}."
        return f"Unknown config key '{self.key}.{name}'{did_you_mean(name, section.model_fields)}."


def describe_value(key: str, problem: Mapping[str, Any]) -> str:
    """One sentence about a value that a key cannot take."""
    message = problem["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    return f"Config key '{key}' cannot be {problem['input']!r}: {message}."
