"""Everything a running studio holds: runs, loaded models, jobs, the tour, and a pool for the model's work."""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import ParamSpec, TypeVar

import torch

from jumok.asgi.cancelling import check_wanted, current_flag
from jumok.studio.gold import GoldBook
from jumok.studio.jobs import Jobs
from jumok.studio.learn import Frames
from jumok.studio.lessons import Tour
from jumok.studio.pictures import Pictures
from jumok.studio.problems import RefusedError
from jumok.studio.runs import Runs
from jumok.studio.sessions import Sessions

P = ParamSpec("P")
R = TypeVar("R")
WORKERS = 2
WAITING = 32


class Studio:
    """One studio; `close` ends its jobs and threads.

    folders   the run folders to show
    home      where the demo and the models of the lessons are trained
    """

    def __init__(self, folders: Sequence[Path] = (), home: Path = Path("runs")) -> None:
        self.runs = Runs(folders)
        self.pictures = Pictures()
        self.sessions = Sessions(pictures=self.pictures)
        self.jobs = Jobs(self.runs)
        self.tour = Tour(self.runs, self.jobs, home)
        self.book = GoldBook()
        self.frames = Frames()
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="studio")
        self._under_way: list[threading.Event] = []
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // WORKERS))

    async def work(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The function's result, computed beside the server's own thread; cancelled when its client has left."""
        if len(self._under_way) >= WAITING:
            raise RefusedError(503, "busy", "Too many requests are waiting; try again in a moment.")
        flag = current_flag()
        context = copy_context()

        def computed() -> R:
            check_wanted()  # it may have waited for its turn longer than its client did
            return function(*args, **kwargs)

        self._under_way.append(flag)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, context.run, computed)
        finally:
            self._under_way.remove(flag)

    def close(self) -> None:
        """Ends what the studio started."""
        for flag in list(self._under_way):
            flag.set()
        self.jobs.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
