"""Everything a command does, Python can do: docs/python.md names the call behind each command, and each exists."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jumok
from jumok.cli.app import VERBS
from jumok.tasks.bandits.model import BanditModel
from jumok.tasks.captioning.model import CaptionModel
from jumok.tasks.few_shot.model import FewShotModel
from jumok.tasks.image_gan.model import ImageGanModel
from jumok.tasks.summarisation.model import SummarisationModel
from jumok.tasks.translation.model import TranslationModel

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
MODELS = (TranslationModel, SummarisationModel, CaptionModel, FewShotModel, BanditModel, ImageGanModel)


def rows() -> list[tuple[str, str]]:
    """The commands and the calls of each row."""
    table = PAGE.read_text(encoding="utf-8").partition("## Every command in Python")[2].partition("```")[0]
    found = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return [(commands, calls) for commands, calls in found]


def test_every_command_has_its_call():
    named = {name for commands, _ in rows() for name in re.findall(r"`([\w-]+)`", commands)}
    assert named == set(VERBS)


def named() -> Iterator[tuple[str, list[Any]]]:
    """Each call that the page names, with the functions of that name: a method may be that of several models."""
    for _, calls in rows():
        found = re.findall(r"`(jumok|model)\.([\w.]+)", calls)
        assert found, calls
        for owner, name in found:
            if owner == "model":
                yield name, [getattr(model, name) for model in MODELS if hasattr(model, name)]
            else:
                module, _, attribute = f"jumok.{name}".rpartition(".")
                yield name, [getattr(importlib.import_module(module), attribute)]


def test_every_call_exists():
    for name, functions in named():
        assert functions, name
        assert all(callable(function) for function in functions), name


FUNCTIONS = {
    f"{function.__module__}.{function.__qualname__}": function
    for function in (
        *(getattr(jumok, name) for name in jumok.__all__ if not name.startswith("__")),
        *(function for _, functions in named() for function in functions),
    )
}
SAID_ELSEWHERE = {"jumok.server.serving.serve", "jumok.data.phrasebook.generation.write"}
"""Whose arguments the pages about serving and the phrasebook tell."""


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - SAID_ELSEWHERE))
def test_every_argument_is_typed_and_told(name: str):
    """By its name in the docstring; those of a dataclass by its fields."""
    function = FUNCTIONS[name]
    arguments = {key: given for key, given in inspect.signature(function).parameters.items() if key != "self"}
    assert [key for key, given in arguments.items() if given.annotation is inspect.Parameter.empty] == []
    told = inspect.getsource(function) if dataclasses.is_dataclass(function) else inspect.getdoc(function) or ""
    assert [key for key in arguments if not re.search(rf"\b{key}\b", told)] == []
