"""Questions to the studio: POST routes whose messages are read off the function that answers."""

from collections.abc import Callable
from typing import Any, get_type_hints

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel

from jumok.studio.studio import Studio

OpenRun = Callable[[str, int | None], Any]
"""Opens a run by its id, under the weights of a step or its best ones."""


def json_of(model: BaseModel) -> Response:
    """The answer as it is; it was checked when it was made."""
    return Response(model.model_dump_json(), media_type="application/json")


class Questions:
    """Adds routes to a router; `opened` opens the run of a request for the functions that need one."""

    def __init__(self, router: APIRouter, studio: Studio, opened: OpenRun | None = None) -> None:
        self.router, self.studio = router, studio
        self.opened = opened or (lambda run, step: studio.sessions.open(studio.runs.get(run), step))

    def add(self, path: str, work: Callable[..., BaseModel], about: str) -> None:
        """POST `path`, answered by `work(request)`; its annotations are the contract, `about` is the description."""
        self._add(path, work, about, work)

    def of_run(self, path: str, work: Callable[..., BaseModel], about: str) -> None:
        """The same for `work(session, request)`, where the request names a run and may name a step."""
        self._add(path, work, about, lambda request: work(self.opened(request.run, request.step), request))

    def _add(self, path: str, typed: Callable[..., BaseModel], about: str, answer: Callable[[Any], BaseModel]) -> None:
        hints = get_type_hints(typed)

        async def post(request: Any) -> Response:
            return json_of(await self.studio.work(answer, request))

        post.__name__ = "post_" + path.removeprefix("/")
        post.__annotations__["request"] = hints["request"]
        self.router.post(path, response_model=hints["return"], description=about)(post)
