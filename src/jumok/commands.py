"""Commands of your own: a file named with `jumok --plugin FILE`, or in JUMOK_PLUGINS, adds them to the command line."""

from collections.abc import Callable
from typing import Any

# name → (function with typer annotations, help line)
COMMANDS: dict[str, tuple[Callable[..., Any], str]] = {}


def add_command(name: str, function: Callable[..., Any], help_line: str = "") -> None:
    """Adds `jumok --plugin FILE NAME`; the function's annotations are its arguments, as in the commands of Jumok."""
    COMMANDS[name] = function, help_line or (function.__doc__ or "").partition("\n")[0]
