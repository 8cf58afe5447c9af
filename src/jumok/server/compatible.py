"""APIs that clients already speak: LibreTranslate's, the OpenNMT-py server's, and DeepL's shape."""

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import FormData

from jumok.server.foreign import (
    DeepLAnswer,
    DeepLError,
    DeepLRequest,
    Detected,
    LibreAnswer,
    LibreLanguage,
    LibreRequest,
    LibreText,
    OpenNMTAnswer,
    OpenNMTError,
    OpenNMTModel,
    OpenNMTRequest,
    body_of,
)
from jumok.server.guard import MOST_FIELDS
from jumok.server.problems import RefusedError, too_large
from jumok.server.routes import MOST_MEMBERS, OTHER_PROBLEMS, glossary_of, problems
from jumok.server.runs import ServedRun
from jumok.server.service import Service, Wish

NAMES = {
    "en": "English",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "ja": "Japanese",
    "zh": "Chinese",
}
FORM = "application/x-www-form-urlencoded"
Fields = dict[str, Any]


async def fields_of(request: Request) -> Fields:
    """The fields of a JSON or form body, one that comes twice as a list; else of the query."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    found: Fields = dict(request.query_params)
    if (await request.body()).count(b"&") > MOST_FIELDS and kind == FORM:
        raise RefusedError(413, "too_large", f"A form has at most {MOST_FIELDS} fields; send JSON.")
    if kind in (FORM, "multipart/form-data"):
        found |= _form(await request.form())
    else:
        body = await request.body()
        try:
            tree = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            raise RefusedError(400, "bad_request", "The body is not JSON.") from None
        if not isinstance(tree, dict):
            raise RefusedError(400, "bad_request", "The body must be a JSON object.")
        found |= tree
    return found


def _form(form: FormData) -> Fields:
    values = {name: [value for value in form.getlist(name) if isinstance(value, str)] for name in form}
    return {name: every[0] if len(every) == 1 else every for name, every in values.items() if every}


def text_of(fields: Fields, name: str, default: str | None = None) -> str:
    """A field that is a text."""
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise RefusedError(400, "bad_request", f"Invalid request: missing {name} parameter")
    return value


def texts_of(fields: Fields, name: str) -> tuple[list[str], bool]:
    """A field that is a text or a list of texts, and whether it is a list."""
    value = fields.get(name)
    if isinstance(value, str):
        return [value], False
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RefusedError(400, "bad_request", f"Invalid request: missing {name} parameter")
    return value, True


def number_of(fields: Fields, name: str) -> int:
    """A whole number that may be left out."""
    value = fields.get(name) or 0
    written = str(value)
    if isinstance(value, bool) or not (written.isascii() and written.isdigit()) or len(written) > 6:
        raise RefusedError(400, "bad_request", f"Invalid request: {name} must be a whole number")
    return int(written)


def format_of(fields: Fields) -> str:
    """`text` or `html`."""
    found = fields.get("format") or "text"
    if found not in ("text", "html"):
        raise RefusedError(400, "bad_request", f"{found} format is not supported")
    return found


def add_libretranslate(router: APIRouter, service: Service) -> None:
    """LibreTranslate's routes, errors as `{"error": …}`."""

    def pair(texts: list[str], source: str, target: str) -> tuple[ServedRun, Fields]:
        if source != "auto":
            return service.find(None, source, target), {}
        told = service.detect(texts)
        if not told:
            return service.find(None, None, target), {}
        guessed = {"confidence": round(told[0][1] * 100), "language": told[0][0]}
        return service.find(None, told[0][0], target), {"detectedLanguage": guessed}

    @router.post(
        "/translate", openapi_extra=body_of(LibreRequest), response_model=LibreAnswer, responses=OTHER_PROBLEMS
    )
    async def translate(request: Request) -> JSONResponse:
        """Translates `q`, a text or a list of them."""
        fields = await fields_of(request)
        texts, many = texts_of(fields, "q")
        run, detected = pair(texts, text_of(fields, "source"), text_of(fields, "target"))
        count = number_of(fields, "alternatives")
        wish = Wish(alternatives=count, format=format_of(fields), standing=glossary_of(request.scope))
        found = await service.translate(texts, run, wish)
        answer: Fields = {"translatedText": [one.text for one in found] if many else found[0].text}
        if count:
            others = [list(one.alternatives) for one in found]
            answer["alternatives"] = others if many else others[0]
        if detected:
            answer |= {"detectedLanguage": [detected["detectedLanguage"]] * len(texts)} if many else detected
        return JSONResponse(answer)

    @router.post("/detect", openapi_extra=body_of(LibreText), response_model=list[Detected], responses=OTHER_PROBLEMS)
    async def detect(request: Request) -> JSONResponse:
        """The language of `q` among those that are served, with a confidence in percent."""
        texts, _ = texts_of(await fields_of(request), "q")
        told = service.detect(texts)
        return JSONResponse([{"confidence": round(100 * sure), "language": code} for code, sure in told])

    @router.get("/languages", response_model=list[LibreLanguage], responses=OTHER_PROBLEMS)
    async def get_languages() -> JSONResponse:
        """Source languages with what each can become."""
        codes = dict.fromkeys(run.source for run in service.runs.values())
        told = [
            {"code": code, "name": NAMES.get(code, code),
             "targets": list(dict.fromkeys(run.target for run in service.runs.values() if run.source == code))}
            for code in codes
        ]  # fmt: skip
        return JSONResponse(told)

    @router.get("/frontend/settings", responses=OTHER_PROBLEMS)
    async def settings(request: Request) -> JSONResponse:
        """What LibreTranslate's page asks for first."""
        first = next(iter(service.runs.values()))
        language = {"source": {"code": first.source, "name": NAMES.get(first.source, first.source)},
                    "target": {"code": first.target, "name": NAMES.get(first.target, first.target)}}  # fmt: skip
        keyed = bool(request.scope.get("state", {}).get("keys_needed"))
        return JSONResponse({"apiKeys": keyed, "charLimit": service.limits.characters, "frontendTimeout": 500,
                             "keyRequired": keyed, "language": language, "suggestions": False,
                             "supportedFilesFormat": []})  # fmt: skip


def sources_of(body: bytes) -> tuple[list[str], int]:
    """The texts of a request in OpenNMT's form, and the number of the model that all of them name."""
    try:
        given = json.loads(body)
        if isinstance(given, list) and len(given) > MOST_MEMBERS:
            raise too_large(f"The body has {len(given)} members; {MOST_MEMBERS} are the most.")
        rows = [OpenNMTRequest.model_validate(one, strict=True) for one in given]
    except (ValueError, TypeError, RecursionError):
        raise RefusedError(400, "bad_request", 'The body must be a list such as [{"src": "text", "id": 0}].') from None
    if len({one.id for one in rows}) > 1:
        raise RefusedError(400, "bad_request", "All texts of a request must have the same id.")
    return [one.src for one in rows], rows[0].id if rows else 0


def add_opennmt(router: APIRouter, service: Service) -> None:
    """The OpenNMT-py server's routes; a model's number is its place among the runs."""

    refused = problems(OpenNMTError)

    @router.post(
        "/translator/translate",
        openapi_extra=body_of(OpenNMTRequest, many=True),
        response_model=list[list[OpenNMTAnswer]],
        responses=refused,
    )
    async def translate(request: Request) -> JSONResponse:
        """Translates a list of `{"src", "id"}`, all for the same model; each answer has the n best, here one."""
        texts, number = sources_of(await request.body())
        runs = list(service.runs.values())
        if not number < len(runs):
            raise RefusedError(400, "unknown_run", f"There are models from 0 to {len(runs) - 1}.")
        found = await service.translate(texts, runs[number], Wish(standing=glossary_of(request.scope)))
        answers: list[Fields] = [
            {"src": text, "tgt": one.text, "n_best": 1, "id": number,
             "pred_score": sum(each.found.score for each in one.sentences)}
            for text, one in zip(texts, found, strict=True)
        ]  # fmt: skip
        return JSONResponse([answers])

    @router.get("/translator/models", response_model=list[OpenNMTModel], responses=refused)
    async def models() -> JSONResponse:
        """Each run with its number."""
        ready = service.crew.ready
        told = [
            {"model_id": number, "status": "ready", "model": run.name, "version": ready.versions[run.name],
             "src": run.source, "tgt": run.target}
            for number, run in enumerate(service.runs.values())
        ]  # fmt: skip
        return JSONResponse(told)


def add_deepl(router: APIRouter, service: Service) -> None:
    """DeepL's shape for `text` and `target_lang`; codes in capitals, a region after a hyphen is left out."""

    def code(value: str) -> str:
        return value.partition("-")[0].lower()

    @router.post("/v2/translate", openapi_extra=body_of(DeepLRequest), response_model=DeepLAnswer,
                 responses=problems(DeepLError))  # fmt: skip
    async def translate(request: Request) -> JSONResponse:
        """Translates each `text`."""
        fields = await fields_of(request)
        texts, _ = texts_of(fields, "text")
        given = fields.get("source_lang")
        target = code(text_of(fields, "target_lang"))
        source = code(given) if isinstance(given, str) and given else None
        if source is None and len({run.source for run in service.runs.values() if run.target == target}) > 1:
            told = service.detect(texts)
            source = told[0][0] if told else None
        run = service.find(None, source, target)
        tagged = fields.get("tag_handling") in ("html", "xml")
        wish = Wish(format="html" if tagged else "text", standing=glossary_of(request.scope))
        found = await service.translate(texts, run, wish)
        told = [{"detected_source_language": run.source.upper(), "text": one.text} for one in found]
        return JSONResponse({"translations": told})
