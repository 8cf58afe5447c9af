"""The routes of what models that read and write text are asked."""

from fastapi import APIRouter
from fastapi.responses import Response

from jumok.studio import payload, payload_steps, payload_views
from jumok.studio.arithmetic import work_through
from jumok.studio.compare import compare
from jumok.studio.effects import effects
from jumok.studio.learn import learn
from jumok.studio.lesson_routes import json_of
from jumok.studio.sessions import Session
from jumok.studio.studio import Studio
from jumok.studio.translate import translate
from jumok.studio.whatif import what_if


def add_text(router: APIRouter, studio: Studio) -> None:
    """What models that read and write text are asked."""

    def opened(run: str, step: int | None) -> Session:
        return studio.sessions.open(studio.runs.get(run), step)

    @router.post("/translate", response_model=payload.TranslateAnswer)
    async def post_translate(request: payload.TranslateRequest) -> Response:
        """Translates, or reads a given target."""
        return json_of(
            await studio.work(lambda: translate(opened(request.run, request.step), request, studio.book))
        )  # fmt: skip

    @router.post("/step", response_model=payload_steps.StepAnswer)
    async def post_step(request: payload_steps.StepRequest) -> Response:
        """The arithmetic of one step, with the model's numbers."""
        return json_of(await studio.work(lambda: work_through(opened(request.run, request.step), request)))

    @router.post("/whatif", response_model=payload_steps.WhatIfAnswer)
    async def post_whatif(request: payload_steps.WhatIfRequest) -> Response:
        """Decodes again under edits."""
        return json_of(await studio.work(lambda: what_if(opened(request.run, request.step), request)))

    @router.post("/effects", response_model=payload_steps.EffectsAnswer)
    async def post_effects(request: payload_steps.EffectsRequest) -> Response:
        """The measured effect of each source word."""
        return json_of(await studio.work(lambda: effects(opened(request.run, request.step), request)))

    @router.post("/compare", response_model=payload_views.CompareAnswer)
    async def post_compare(request: payload_views.CompareRequest) -> Response:
        """One sentence through several runs."""
        return json_of(await studio.work(compare, studio.runs, studio.sessions, request, studio.book))

    @router.post("/learn", response_model=payload_views.LearnAnswer)
    async def post_learn(request: payload_views.LearnRequest) -> Response:
        """One pair under the weights of many steps."""
        run = studio.runs.get(request.run)
        return json_of(await studio.work(learn, run, studio.sessions, request, studio.book, studio.frames))
