"""Tasks: each joins data, model, training and evaluation for one kind of problem.

This is the only composition root: the command line, the studio and Python reach a task through `find_task`, and a new
task is one file (or folder) and one row of the table.
"""

from importlib import import_module

from jumok.errors import ConfigError, did_you_mean
from jumok.tasks.task import Task

# name of `task` in a config → module:class
TASKS = {"translation": "jumok.tasks.translation.task:Translation"}

__all__ = ["TASKS", "Task", "find_task"]


def find_task(name: str) -> Task:
    """The task of a name; its module is imported now."""
    if name not in TASKS:
        raise ConfigError(f"Unknown task '{name}'{did_you_mean(name, TASKS)}; one of {', '.join(TASKS)}.")
    module, _, found = TASKS[name].partition(":")
    return getattr(import_module(module), found)()
