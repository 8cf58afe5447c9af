"""What a search reads: lines of text, or pictures. Everything after it is the same for both."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from jumok.config import CaptionDataConfig
from jumok.data.caption_batch import images_from
from jumok.data.images.picture import Picture, pixel_key
from jumok.data.sources import Images, Source, Tokens
from jumok.decoding.batches import pad_sources
from jumok.decoding.jobs import Job, make_job
from jumok.decoding.run import Run
from jumok.errors import RunError
from jumok.models.image_frontends import GridFrontend
from jumok.models.layout import Grid, Layout
from jumok.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class PictureJob(Job):
    """One picture to describe: `line` is its name, and there are no source words."""

    picture: Picture = field(kw_only=True)
    grid: Grid = field(kw_only=True)

    @property
    def length(self) -> int:
        return self.grid.count

    @property
    def key(self) -> tuple[int, ...]:
        return pixel_key(self.picture.pixels_HW3)

    def bounded(self, most: int) -> int:
        return most

    def layout(self, tokenizer: Tokenizer) -> Layout:
        return self.grid


class Intake(Protocol):
    """From what was given to what a model encodes."""

    def job(self, given: Any, runs: Sequence[Run], /) -> Job:
        """The job of what was given, without constraints."""
        ...

    def source(self, run: Run, jobs: Sequence[Job], first: bool, /) -> Source:
        """A batch of sources as a member of an ensemble reads them; `first`: it is the one that the jobs were made
        for."""
        ...


class LineIntake:
    """Lines of text."""

    def job(self, given: str, runs: Sequence[Run], /) -> Job:
        """The job of a line, cut to what the member that takes least can read."""
        job = make_job(given, runs[0].source_tokenizer, runs[0].longest_input)
        for run in runs[1:]:
            job = replace(job, cut=max(job.cut, len(run.source_tokenizer.encode(given)) - run.longest_input))
        return job

    def source(self, run: Run, jobs: Sequence[Job], first: bool, /) -> Source:
        """The ids of the lines in the member's own vocabulary."""
        ids = [job.ids if first else tuple(run.source_tokenizer.encode(job.line)[: run.longest_input]) for job in jobs]
        return Tokens(*pad_sources(ids, run.model.device))


class PictureIntake:
    """Pictures, fitted to each member's side in the way that it was trained with."""

    def job(self, given: Picture, runs: Sequence[Run], /) -> Job:
        """The job of a picture."""
        return PictureJob(given.name, (), (), 0, picture=given, grid=image_frontend(runs[0]).grid)

    def source(self, run: Run, jobs: Sequence[Job], first: bool, /) -> Source:
        """The pixels at the member's own side."""
        pictures = [job.picture for job in jobs if isinstance(job, PictureJob)]
        return images_of(run, pictures)


def image_frontend(run: Run) -> GridFrontend:
    """The frontend of a run that reads pictures."""
    frontend = run.model.frontend
    if not isinstance(frontend, GridFrontend):
        raise RunError(f"{run.path} is a run of task={run.config.task}, which reads words, not pictures.")
    return frontend


def fitted(run: Run, picture: Picture) -> np.ndarray:
    """uint8 [side, side, 3]: the picture as the run's model sees it."""
    data = run.config.data
    assert isinstance(data, CaptionDataConfig)
    return picture.fitted(image_frontend(run).side, data.fit)


def images_of(run: Run, pictures: Sequence[Picture]) -> Images:
    """The pictures as the run's model reads them."""
    pixels_BHWC = np.stack([fitted(run, picture) for picture in pictures])
    return images_from(pixels_BHWC).to(run.model.device)
