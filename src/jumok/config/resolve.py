"""From keys to a config: files, `key.sub=value` overrides, presets, and refusals with "did you mean".

A config file is YAML with the sections of `Config`; `key.sub=value` on the command line overrides it; a preset sets
ordinary keys that the file and the command line may override again.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from jumok.config.formats import HEAD, upgraded
from jumok.config.kinds import describe_value
from jumok.config.model import BY_KIND
from jumok.config.section import Section
from jumok.config.tasks import CONFIGS, DEFAULT_TASK, Config, config_class
from jumok.errors import ConfigError, did_you_mean

Own = TypeVar("Own", bound=Config)
# Mappings whose keys the config does not know: they belong to a mechanism.
FREE = ("model.encoder.attention_options", "model.decoder.attention_options", "model.decoder.self_attention_options")


def resolve(tree: Mapping[str, Any] | None = None, overrides: Iterable[str] = ()) -> Config:
    """The full config, with the preset underneath what is given.

    tree        keys as a nested mapping
    overrides   `key.sub=value`, over those of the tree
    """
    given = flatten(tree or {})
    for item in overrides:
        key, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"'{item}' is not an override; write key.sub=value, such as train.max_steps=100.")
        given[key.strip()] = parse_value(value, key)
    section = config_class(given.get("task", DEFAULT_TASK))
    known = keys(section)
    for key in given:
        # Free-form options keep whatever keys the mechanism has.
        if key not in known and not key.startswith(tuple(f"{free}." for free in FREE)):
            raise ConfigError(_unknown(key, section, known))
    chosen = section.preset_keys(given)
    return validate(nest({**fitting(chosen, {**chosen, **given}), **given}))


def _unknown(key: str, section: type[Config], known: Iterable[str]) -> str:
    """One sentence about a key that the task does not have."""
    others = [task for task, other in CONFIGS.items() if other is not section and key in keys(other)]
    if others:
        return f"Config key '{key}' belongs to task={others[0]}, and the task is {section.task_name()}; leave it out."
    return f"Unknown config key '{key}'{did_you_mean(key, known)}; `jumok config schema` lists all."


def fitting(chosen: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the chosen keys that the kinds in `given` have: a preset's cell means nothing to a Transformer."""
    found: dict[str, Any] = {}
    for key, value in chosen.items():
        section, _, name = key.rpartition(".")
        by_kind = BY_KIND.get(section)
        kind = None if by_kind is None else given.get(f"{section}.kind", by_kind.default)
        if by_kind is None or kind not in by_kind.sections or name in by_kind.sections[kind].model_fields:
            found[key] = value
    return found


def load(path: Path) -> dict[str, Any]:
    """The nested mapping of a YAML (or JSON) config file."""
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no config file {path}.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder, not a config file; to resume a run use --resume {path}.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not readable YAML: {' '.join(str(error).split())}.") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold keys and values, not a {type(tree).__name__}.")
    # A run's own config.json is a config too.
    return {key: value for key, value in upgraded(tree).items() if key not in HEAD}


def validate(tree: Mapping[str, Any]) -> Config:
    """The config of a nested mapping, or one sentence about the first thing that is wrong."""
    section = config_class(tree.get("task", DEFAULT_TASK))
    try:
        return section.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, ConfigError):
            raise cause from None
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"Unknown config key '{key}'{did_you_mean(key, keys(section))}.") from None
        raise ConfigError(describe_value(key, first)) from None


def with_keys(config: Own, chosen: Mapping[str, Any]) -> Own:
    """The config with some dotted keys set otherwise."""
    found = validate(nest(flatten(config.model_dump(mode="json")) | dict(chosen)))
    assert isinstance(found, type(config))
    return found


def parse_value(text: str, key: str) -> Any:
    """A value as YAML reads it, so that numbers, lists, true and null work on the command line."""
    try:
        return yaml.safe_load(text) if text.strip() else ""
    except yaml.YAMLError:
        raise ConfigError(f"The value of {key}={text} cannot be read; quote it.") from None


def keys(section: type[BaseModel], prefix: str = "") -> dict[str, tuple[Any, str]]:
    """Every dotted key with its default and meaning; what only some kinds have says which.

    section   the config of a task, such as `jumok.config.TranslationConfig`, or a section of it
    prefix    what stands before its keys, with the dot
    """
    found: dict[str, tuple[Any, str]] = {}
    for name, field in section.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if f"{prefix}{name}" in BY_KIND:
            found |= keys_by_kind(f"{prefix}{name}")
        elif isinstance(default, Section):
            found |= keys(type(default), f"{prefix}{name}.")
        else:
            found[prefix + name] = (default, field.description or "")
    return found


def keys_by_kind(key: str) -> dict[str, tuple[Any, str]]:
    """The keys of all kinds of a section."""
    by_kind = BY_KIND[key]
    names = {name: None for section in by_kind.sections.values() for name in section.model_fields}
    found: dict[str, tuple[Any, str]] = {f"{key}.kind": (by_kind.default, " or ".join(by_kind.sections))}
    for name in names:
        having = {kind: section for kind, section in by_kind.sections.items() if name in section.model_fields}
        field = next(iter(having.values())).model_fields[name]
        only = "" if len(having) == len(by_kind.sections) else f" ({', '.join(having)})"
        found.setdefault(f"{key}.{name}", (field.get_default(), f"{field.description or ''}{only}"))
    return found


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted keys of a nested mapping; free-form mappings stay whole."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key not in FREE:
            flat |= flatten(value, f"{key}.")
        else:
            flat[key] = value
    return flat


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The nested mapping of dotted keys."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return tree
