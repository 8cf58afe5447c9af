"""The routes of what lessons compute with their models."""

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel

from jumok.studio import payload_lessons, payload_views
from jumok.studio.chances import chances
from jumok.studio.forcing import force, schedule
from jumok.studio.gradients import follow_paths
from jumok.studio.kernel import regress
from jumok.studio.looks import looks
from jumok.studio.sessions import Session
from jumok.studio.studio import Studio


def json_of(model: BaseModel) -> Response:
    """The answer as it is; it was checked when it was made."""
    return Response(model.model_dump_json(), media_type="application/json")


def add_lessons(router: APIRouter, studio: Studio) -> None:
    """What lessons compute with their models."""

    def opened(run: str, step: int | None = None) -> Session:
        return studio.sessions.open(studio.runs.get(run), step)

    @router.post("/chances", response_model=payload_lessons.ChancesAnswer)
    async def post_chances(request: payload_lessons.ChancesRequest) -> Response:
        """The mean probability of the right words over many sentences."""
        return json_of(await studio.work(lambda: chances([opened(run) for run in request.runs], request)))

    @router.post("/forcing", response_model=payload_lessons.ForcingAnswer)
    async def post_forcing(request: payload_lessons.ForcingRequest) -> Response:
        """A sentence after a wrong word, with teacher forcing and running freely."""
        return json_of(await studio.work(lambda: force(opened(request.run, request.step), request)))

    @router.post("/schedule", response_model=payload_lessons.ScheduleAnswer)
    async def post_schedule(request: payload_lessons.ScheduleRequest) -> Response:
        """How often the right word is fed in over a training."""
        return json_of(await studio.work(schedule, request))

    @router.post("/paths", response_model=payload_lessons.PathsAnswer)
    async def post_paths(request: payload_lessons.PathsRequest) -> Response:
        """The gradient of a word through weights and values, and one update."""
        return json_of(await studio.work(lambda: follow_paths(opened(request.run, request.step), request)))

    @router.post("/looks", response_model=payload_lessons.LooksAnswer)
    async def post_looks(request: payload_lessons.LooksRequest) -> Response:
        """How a mechanism looks at each step: draws and windows."""
        return json_of(await studio.work(lambda: looks(opened(request.run, request.step), request)))

    @router.post("/kernel", response_model=payload_views.KernelAnswer)
    async def post_kernel(request: payload_views.KernelRequest) -> Response:
        """Kernel regression of 1964."""
        return json_of(await studio.work(regress, request))
