"""The routes of generated pictures."""

from fastapi import APIRouter

from jumok.studio.drawing import draw, gaze
from jumok.studio.questions import Questions
from jumok.studio.sessions import OpenedModel
from jumok.studio.studio import Studio
from jumok.tasks.image_gan.model import ImageGanModel

TASK = "image-gan"


def add_drawing(router: APIRouter, studio: Studio) -> None:
    """What generators of pictures are asked."""

    def opened(run: str, step: int | None) -> OpenedModel[ImageGanModel]:
        return studio.sessions.open_model(studio.runs.get(run), TASK, step)

    questions = Questions(router, studio, opened)
    questions.of_run("/draw", draw, "Pictures from noise.")
    questions.of_run("/gaze", gaze, "One generated picture, and where one of its pixels looks.")
