"""The route of episodes: a few labelled pictures and a new one."""

from fastapi import APIRouter

from jumok.studio.episodes import episode
from jumok.studio.payload_episodes import EpisodeAnswer, EpisodeRequest
from jumok.studio.questions import Questions
from jumok.studio.studio import Studio

TASK = "few-shot"


def add_episodes(router: APIRouter, studio: Studio) -> None:
    """What few-shot classifiers are asked."""

    def answer(request: EpisodeRequest) -> EpisodeAnswer:
        opened = studio.sessions.open_model(studio.runs.get(request.run), TASK, request.step)
        picture = None if request.picture is None else studio.pictures.get(request.picture)
        return episode(opened, request, picture)

    about = "Names a new picture from a few labelled ones, with and without edits of them."
    Questions(router, studio).add("/episode", answer, about)
