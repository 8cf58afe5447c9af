"""Jumok (주목): attention you can see. Train, load, translate, align, explain: `docs/python.md`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jumok.version import __version__
from jumok.waiting import wait_passively

if TYPE_CHECKING:
    from jumok.aligner import align_bitext as align_bitext
    from jumok.api import adapt as adapt
    from jumok.api import explain as explain
    from jumok.api import mechanisms as mechanisms
    from jumok.api import start_training as start_training
    from jumok.api import train as train
    from jumok.tasks.translation.averaging import average as average
    from jumok.tasks.translation.model import load as load

# name → module: each is imported when it is asked for, so that `jumok --help` stays quick.
_FOUND_IN = {
    "adapt": "jumok.api",
    "align_bitext": "jumok.aligner",
    "average": "jumok.tasks.translation.averaging",
    "explain": "jumok.api",
    "load": "jumok.tasks",
    "mechanisms": "jumok.api",
    "start_training": "jumok.api",
    "train": "jumok.api",
}
__all__ = ["__version__", *_FOUND_IN]  # pyright: ignore[reportUnsupportedDunderAll]

# torch's OpenMP reads it when torch is imported; a program that imports torch before jumok keeps what it has.
wait_passively()


def __getattr__(name: str) -> Any:
    if name not in _FOUND_IN:
        raise AttributeError(f"module 'jumok' has no attribute '{name}'")
    if name in ("adapt", "load", "train"):
        import_module("jumok.decoding.translation").draw_in_notebooks(_component)
    found = getattr(import_module(_FOUND_IN[name]), name)
    # `jumok.inspect` is a package too: once imported, it would hide the function.
    globals()[name] = found
    return found


def _component(translation: Any) -> str | None:
    """The studio's component, for what a notebook shows; decoding itself knows nothing of the studio."""
    return import_module("jumok.studio.notebook").iframe(translation)
