"""Our own API: `/v1/translate`, `/v1/runs`; health, readiness and metrics."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from jumok.decoding.translation import Translation, attention_dict
from jumok.server import payload
from jumok.server.foreign import LibreError, body_of
from jumok.server.glossary import Glossary
from jumok.server.problems import RefusedError, invalid, no_worker, too_large
from jumok.server.runs import ServedRun
from jumok.server.service import Answer, Sentence, Service, Wish
from jumok.version import __version__

STATUSES = (400, 401, 403, 404, 405, 408, 413, 422, 429, 500, 503)


FORMS = ("constrained-str", "list[constrained-str]", "[key]")
"""Parts of an error's place that name no field of the request."""
MOST_MEMBERS = 2048
"""Of a list or an object in a request. Other limits are lower; this one is looked at before anything else."""


def problems(answer: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """The answers to refused requests, for the OpenAPI document."""
    return {status: {"model": answer} for status in STATUSES}


PROBLEMS = problems(payload.ErrorAnswer)
OTHER_PROBLEMS = problems(LibreError)
"""Of paths that are not under /v1: an error is a text there, as LibreTranslate's is."""


def add_own(router: APIRouter, service: Service) -> None:
    """The routes over a service."""

    @router.post("/v1/translate", response_model=payload.TranslateAnswer, responses=PROBLEMS,
                 openapi_extra=body_of(payload.TranslateRequest, form=False))  # fmt: skip
    async def post_translate(request: Request) -> Response:
        """Translates one text or several."""
        text = await translate_body(service, await request.body(), glossary_of(request.scope))
        return Response(text, media_type="application/json")

    @router.get("/v1/runs", response_model=payload.RunsAnswer, responses=PROBLEMS)
    async def get_runs() -> Response:
        """The runs that can be asked, with the version that is loaded."""
        ready = service.crew.ready
        told = [
            payload.RunAnswer(name=one.name, source=one.source, target=one.target,
                              version=ready.versions[one.name], engine=ready.engines[one.name])
            for one in service.runs.values()
        ]  # fmt: skip
        return Response(
            payload.RunsAnswer(jumok=__version__, runs=told).model_dump_json(), media_type="application/json"
        )


async def translate_body(service: Service, body: bytes, glossary: Glossary | None) -> str:
    """The JSON of what a request asks for."""
    asked = read_request(body)
    run = service.find(asked.run, asked.source, asked.target)
    found = await service.translate(asked.texts, run, wish_of(asked, glossary))
    return translate_answer(asked, run, found, service.crew.ready.versions[run.name])


def wish_of(asked: payload.TranslateRequest, glossary: Glossary | None = None) -> Wish:
    """How a request wants its texts translated; `glossary` has the terms of the client's key."""
    return Wish(asked.beam, asked.alternatives, asked.format, asked.alignment, asked.attention,
                asked.glossary, glossary, tuple(asked.keep), asked.sentences)  # fmt: skip


def translate_answer(asked: payload.TranslateRequest, run: ServedRun, found: Sequence[Answer], version: str) -> str:
    """The JSON of an answer; `version` is named where no sentence was translated."""
    shown = asked.sentences or asked.alignment or asked.attention
    versions = {one.version for text in found for one in text.sentences}
    texts = [
        payload.TextAnswer(
            text=one.text,
            alternatives=list(one.alternatives),
            sentences=[sentence_answer(each, asked, run) for each in one.sentences] if shown else None,
        )
        for one in found
    ]
    answer = payload.TranslateAnswer(run=run.name, version=",".join(sorted(versions)) or version, source=run.source,
                                     target=run.target, translations=texts)  # fmt: skip
    return answer.model_dump_json(exclude_none=True)


def read_request(body: bytes) -> payload.TranslateRequest:
    """A request of our own API; read here, because FastAPI takes as long for it as a small model for a line."""
    try:
        tree = from_json(body)
    except ValueError as error:
        message = str(error).removesuffix(".")
        raise RefusedError(400, "bad_request", f"The body cannot be read. Invalid JSON: {message}.") from None
    check_members(tree)
    try:
        return payload.TranslateRequest.model_validate(tree)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
    # Of a value that may have several forms each form has an error: the one that looked deepest is meant.
    own = [one for one in told if one["loc"][:1] == told[0]["loc"][:1]]
    first = max(own, key=lambda one: len(one["loc"]))
    place = ".".join(str(part) for part in first["loc"] if part not in FORMS)
    raise invalid(f"'{place or 'body'}': {first['msg']}.")


def check_members(tree: object) -> None:
    """Raises where a request is no object, or has so many members that an error for each would hold others up."""
    if not isinstance(tree, dict):
        raise invalid("The body must be a JSON object.")
    parts = {"body": tree} | {str(name): part for name, part in itertools.islice(tree.items(), MOST_MEMBERS)}
    for name, part in parts.items():
        if isinstance(part, list | dict) and len(part) > MOST_MEMBERS:
            raise too_large(f"'{name}' has {len(part)} members; {MOST_MEMBERS} are the most.")


def add_health(router: APIRouter, service: Service) -> None:
    """What machines ask."""

    @router.get("/health", responses=OTHER_PROBLEMS)
    async def health() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok"}

    @router.get("/ready", responses=OTHER_PROBLEMS)
    async def ready() -> JSONResponse:
        """Requests would be taken now."""
        if service.batcher.full or service.crew.closed:
            raise RefusedError(503, "busy", "The queue is full.", retry=1)
        if not service.crew.able:
            service.revive()
            raise no_worker()
        return JSONResponse({"status": "ready"})

    @router.get(
        "/metrics", response_class=PlainTextResponse, responses={**OTHER_PROBLEMS, 200: {"content": {"text/plain": {}}}}
    )
    async def metrics() -> Response:
        """Prometheus' format."""
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def glossary_of(scope: Mapping[str, Any]) -> Glossary | None:
    """The glossary of the client's key."""
    key = scope.get("state", {}).get("key")
    return None if key is None else key.glossary


def sentence_answer(one: Sentence, asked: payload.TranslateRequest, run: ServedRun) -> payload.SentenceAnswer:
    """A sentence as JSON."""
    found, sure = one.whole, run.confidence(one.whole, one.version)
    attention = found.attention if asked.attention else None
    return payload.SentenceAnswer(
        source=one.source,
        text=one.texts[0],
        confidence=sure.sentence,
        calibrated=sure.calibrated,
        word_confidence=None if sure.words is None else list(sure.words),
        log_prob=found.log_prob,
        token_confidence=token_confidence(found),
        tokens=list(found.tokens),
        source_words=list(found.source_words),
        target_words=list(found.target_words),
        alternatives=list(one.texts[1:]),
        alignment=[(s, t) for s, t in found.alignment] if asked.alignment else None,
        attention=None if attention is None else attention_dict(attention),
        source_cut=found.source_cut,
    )


def token_confidence(found: Translation) -> list[float] | None:
    """The probability of each token; None where the engine does not tell them."""
    if not found.token_log_probs:
        return None
    return [math.exp(max(-700.0, one)) for one in found.token_log_probs[: len(found.tokens)]]
