"""The folder of a new run: gone again, as if nothing had been typed, where training fails before its first step."""

import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from jumok.training.events import Event, Saved, StepDone


class FreshFolder:
    """Removes a run folder that an error leaves without a single step, and the folders above that were made for it.

    It listens to training: a run that has made a step, or was saved because a signal asked for it, can be resumed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = [path for path in (folder, *folder.parents) if not path.exists()]
        self.begun = False

    def hear(self, event: Event) -> None:
        """Takes in one event of training."""
        self.begun = self.begun or isinstance(event, StepDone | Saved)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "FreshFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or self.begun:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in self.made[1:]:
            with suppress(OSError):
                path.rmdir()  # fails, as it should, where something else has been put there meanwhile
        if self.folder not in self.made:
            self.folder.mkdir(exist_ok=True)  # an empty folder that was there before
