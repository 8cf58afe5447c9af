"""The formats of `config.json`, and how an older one is read.

1   every encoder and decoder carried the keys of all kinds
2   a section has the keys of its kind only
"""

from collections.abc import Mapping
from typing import Any

from jumok.config.model import BY_KIND, RECURRENT_HEADS

FORMAT = 2
# What `config.json` of a run holds beside the sections: its format and what made it.
HEAD = ("format", "jumok_version", "vocabulary")


def upgraded(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The tree of a `config.json` as the present format has it; a tree without a format stays as it is."""
    return _by_kind(tree) if tree.get("format") == 1 else dict(tree)


def _by_kind(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Format 1 without the keys that another kind has."""
    model = dict(tree.get("model", {}))
    for key, by_kind in BY_KIND.items():
        side = key.rpartition(".")[2]
        given = dict(model.get(side, {}))
        section = by_kind.sections.get(given.get("kind", by_kind.default))
        if section is not None:
            model[side] = {name: value for name, value in _moved(given).items() if name in section.model_fields}
    return {**tree, "model": model}


def _moved(side: dict[str, Any]) -> dict[str, Any]:
    """A recurrent decoder with heads named them beside its mechanism; now they are an option of the mechanism."""
    if side.get("kind") != "rnn" or side.get("attention") != "transformer":
        return side
    options = {"heads": side.get("heads", RECURRENT_HEADS), **side.get("attention_options", {})}
    return {**side, "attention_options": options}
