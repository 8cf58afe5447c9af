"""The routes of generated pictures."""

from fastapi import APIRouter
from fastapi.responses import Response

from jumok.studio import payload_drawing
from jumok.studio.drawing import draw, gaze
from jumok.studio.lesson_routes import json_of
from jumok.studio.sessions import OpenedModel
from jumok.studio.studio import Studio
from jumok.tasks.image_gan.model import ImageGanModel

TASK = "image-gan"


def add_drawing(router: APIRouter, studio: Studio) -> None:
    """What generators of pictures are asked."""

    def opened(run: str, step: int | None) -> OpenedModel[ImageGanModel]:
        return studio.sessions.open_model(studio.runs.get(run), TASK, step)

    @router.post("/draw", response_model=payload_drawing.DrawAnswer)
    async def post_draw(request: payload_drawing.DrawRequest) -> Response:
        """Pictures from noise."""
        return json_of(await studio.work(lambda: draw(opened(request.run, request.step), request)))

    @router.post("/gaze", response_model=payload_drawing.GazeAnswer)
    async def post_gaze(request: payload_drawing.GazeRequest) -> Response:
        """One generated picture, and where one of its pixels looks."""
        return json_of(await studio.work(lambda: gaze(opened(request.run, request.step), request)))
