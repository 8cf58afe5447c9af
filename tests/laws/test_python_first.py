"""Everything a command does, Python can do: docs/python.md names the call behind each command, and each exists."""

import importlib
import re
from pathlib import Path

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


def test_every_call_exists():
    for _, calls in rows():
        found = re.findall(r"`(jumok|model)\.([\w.]+)", calls)
        assert found, calls
        for owner, name in found:
            if owner == "model":
                assert any(callable(getattr(model, name, None)) for model in MODELS), name
            else:
                module, _, attribute = f"jumok.{name}".rpartition(".")
                assert callable(getattr(importlib.import_module(module), attribute)), name
