"""Jumok (주목): sequence-to-sequence learning with attention you can see."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jumok.waiting import wait_passively

if TYPE_CHECKING:
    from jumok.engine.loading import load as load

__version__ = "0.1.0"
__all__ = ["__version__", "load"]

# torch's OpenMP reads it when torch is imported; a program that imports torch before jumok keeps what it has.
wait_passively()


def __getattr__(name: str) -> Any:
    """Loads torch only when it is asked for, so that `jumok --help` stays quick."""
    if name == "load":
        import_module("jumok.decoding.translation").draw_in_notebooks(_component)
        return import_module("jumok.engine.loading").load
    raise AttributeError(f"module 'jumok' has no attribute '{name}'")


def _component(translation: Any) -> str | None:
    """The studio's component, for what a notebook shows; decoding itself knows nothing of the studio."""
    return import_module("jumok.studio.notebook").iframe(translation)
