"""The contract's routes: each hands a checked request to the room that answers it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from jumok.run.status import status_of
from jumok.studio import payload, payload_views, runs
from jumok.studio.drawing_routes import add_drawing
from jumok.studio.episode_routes import add_episodes
from jumok.studio.export import TYPES, export
from jumok.studio.gold import examples
from jumok.studio.jobs import describe as describe_job
from jumok.studio.lesson_routes import add_lessons
from jumok.studio.picture_routes import add_pictures
from jumok.studio.questions import json_of
from jumok.studio.studio import Studio
from jumok.studio.text_routes import add_text
from jumok.version import __version__

RunPath = Annotated[str, Path(max_length=80, pattern=r"^[a-z0-9][a-z0-9.-]*$")]
JobPath = Annotated[str, Path(max_length=120, pattern=r"^[a-z0-9-]+$")]
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": payload.ErrorAnswer} for status in (400, 401, 403, 404, 409, 410, 413, 415, 422, 503)
}
FILES: dict[int | str, dict[str, Any]] = {200: {"content": {kind.partition(";")[0]: {} for kind in TYPES.values()}}}


def build_router(studio: Studio) -> APIRouter:
    """All routes over one studio."""
    router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
    add_runs(router, studio)
    add_text(router, studio)
    add_jobs(router, studio)
    add_lessons(router, studio)
    add_pictures(router, studio)
    add_episodes(router, studio)
    add_drawing(router, studio)
    add_tools(router, studio)
    return router


def add_runs(router: APIRouter, studio: Studio) -> None:
    """What there is."""

    def list_runs() -> payload.RunsAnswer:
        told: list[payload.RunInfo] = []
        for run in studio.runs.all():
            job = studio.jobs.of(run.folder)
            told.append(runs.describe(studio.runs, run, job.id if job else None))
        return payload.RunsAnswer(jumok=__version__, runs=told, limits=payload.Limits())

    @router.get("/runs", response_model=payload.RunsAnswer)
    async def get_runs() -> Response:
        """The runs that can be asked, with how they are built and which steps were kept."""
        return json_of(await studio.work(list_runs))

    @router.get("/runs/{run}/metrics", response_model=payload.MetricsAnswer)
    async def get_metrics(run: RunPath, after: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
        """The lines of metrics.jsonl from `after` on; ask again with `next` while `live`."""
        named = studio.runs.get(run)
        live = studio.jobs.of(named.folder) is not None or status_of(named.folder) == "running"
        return json_of(await studio.work(runs.metrics, named, after, live))

    @router.get("/examples", response_model=payload_views.ExamplesAnswer)
    async def get_examples(
        pair: Annotated[str, Query(max_length=40)] = "en-ko",
        n: Annotated[int, Query(ge=1, le=50)] = 8,
        split: Annotated[str, Query(max_length=20)] = "test",
        seed: Annotated[int, Query(ge=0, le=10**6)] = 1,
    ) -> Response:
        """Phrasebook sentences with their translations and gold links."""
        return json_of(await studio.work(examples, studio.book, pair, split, n, seed))


def add_jobs(router: APIRouter, studio: Studio) -> None:
    """Lessons and jobs."""

    @router.get("/lessons", response_model=payload_views.LessonsAnswer)
    async def get_lessons() -> Response:
        """The pages of the tour and how their models stand."""
        return json_of(await studio.work(studio.tour.answer))

    @router.get("/jobs", response_model=payload_views.JobsAnswer)
    async def get_jobs() -> Response:
        """Every job since the studio was started."""
        return json_of(payload_views.JobsAnswer(jobs=[describe_job(job) for job in studio.jobs.all()]))

    @router.post("/jobs", response_model=payload_views.JobAnswer)
    async def post_job(request: payload_views.JobRequest) -> Response:
        """Trains the demo or a lesson's model in the background."""
        job = await studio.work(studio.tour.train, request)
        return json_of(payload_views.JobAnswer(job=describe_job(job)))

    @router.get("/jobs/{job}", response_model=payload_views.JobAnswer)
    async def get_job(job: JobPath) -> Response:
        """How a job stands."""
        return json_of(payload_views.JobAnswer(job=describe_job(studio.jobs.get(job))))

    @router.post("/jobs/{job}/cancel", response_model=payload_views.JobAnswer)
    async def cancel_job(job: JobPath) -> Response:
        """Ends a job; what it has trained so far is kept."""
        found = studio.jobs.get(job)
        studio.jobs.cancel(found)
        return json_of(payload_views.JobAnswer(job=describe_job(found)))


def add_tools(router: APIRouter, studio: Studio) -> None:
    """Files."""

    @router.post("/export", response_class=Response, responses=FILES)
    async def post_export(request: payload_views.ExportRequest) -> Response:
        """A view as a file, with the model's hash and the sentence inside."""

        def write() -> tuple[bytes, str, str]:
            if request.run is None:
                return export(request, payload.RunRef(id="none", name="no model", hash="none", step=None))
            session = studio.sessions.open(studio.runs.get(request.run), request.step)
            return export(request, session.ref)

        content, kind, name = await studio.work(write)
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=disposition)
