"""The application: routes, the page's files, errors in one form, and the guard in front of all of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from jumok.asgi.cancelling import AbandonedError, Presence
from jumok.errors import JumokError, RunError
from jumok.fonts import FILE
from jumok.studio.problems import RefusedError
from jumok.studio.routes import build_router
from jumok.studio.security import AccessPolicy, Guard
from jumok.studio.studio import Studio
from jumok.version import __version__

STATIC = Path(__file__).with_name("static")
_CODES = {400: "bad_request", 404: "not_found", 405: "method", 413: "too_large"}
_NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Jumok studio</title>
<h1>Jumok studio · 주목 스튜디오</h1>
<p>The page itself has not been built here. In a checkout of the source, <code>make web</code> builds it (it needs
Node 20); an installed wheel brings it along. The JSON contract works: see
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
<p lang="ko">화면이 아직 빌드되지 않았습니다. 소스에서는 <code>make web</code>으로 빌드합니다(Node 20 필요). JSON API는
그대로 쓸 수 있습니다.</p></html>
"""


def create_app(studio: Studio, access: AccessPolicy, static: Path = STATIC) -> Guard:
    """The studio as an ASGI application; it closes the studio when the server stops."""
    app = create_api(studio)
    add_page(app, static)
    add_errors(app)
    return Guard(Presence(app), access)


def create_api(studio: Studio) -> FastAPI:
    """The routes of the contract alone."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        studio.close()

    app = FastAPI(
        title="Jumok studio",
        version=__version__,
        description="The JSON contract of the studio, version 1; explained in docs/studio-api.md.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.include_router(build_router(studio))
    return app


def add_page(app: FastAPI, static: Path) -> None:
    """`GET /`, and the files the page is made of."""

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        index = static / "index.html"
        return FileResponse(index) if index.is_file() else HTMLResponse(_NO_PAGE)

    def add_file(path: Path) -> None:
        @app.get(f"/{path.name}", include_in_schema=False)
        async def file() -> Response:
            return FileResponse(path)

    @app.get("/hangul.ttf", include_in_schema=False)
    async def hangul() -> Response:
        return FileResponse(FILE, media_type="font/ttf", headers={"Cache-Control": "max-age=604800"})

    # Each by its name, so that nothing shadows the contract's routes and their methods.
    for path in sorted(static.iterdir()) if static.is_dir() else []:
        if path.is_dir():
            app.mount(f"/{path.name}", StaticFiles(directory=path), name=path.name)
        elif path.name != "index.html":
            add_file(path)


def add_errors(app: FastAPI) -> None:
    """Every error in the form of the contract; nothing of the inside is told."""

    @app.exception_handler(RefusedError)
    async def refused(_request: Request, error: RefusedError) -> Response:
        return problem(error.status, error.code, str(error))

    @app.exception_handler(JumokError)
    async def cannot(_request: Request, error: JumokError) -> Response:
        return (
            problem(409, "not_ready", str(error))
            if isinstance(error, RunError)
            else problem(422, "invalid", str(error))
        )

    @app.exception_handler(RequestValidationError)
    async def malformed(_request: Request, error: RequestValidationError) -> Response:
        return describe_invalid(error.errors()[0])

    @app.exception_handler(HTTPException)
    async def http(_request: Request, error: HTTPException) -> Response:
        told = {404: "There is nothing at this address.", 405: "This address takes another method."}
        message = told.get(error.status_code, str(error.detail))
        return problem(error.status_code, _CODES.get(error.status_code, "bad_request"), message)

    @app.exception_handler(AbandonedError)
    async def cancelled(_request: Request, _error: AbandonedError) -> Response:
        return problem(503, "busy", "The studio stopped this work: its client had left, or the studio is closing.")

    @app.exception_handler(Exception)
    async def failed(_request: Request, _error: Exception) -> Response:
        return problem(500, "internal", "The studio failed at this request; its log says how.")


def describe_invalid(first: Any) -> Response:
    """One sentence about the first thing that is wrong with a request."""
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    kind, limit = str(first["type"]), first.get("ctx", {}).get("max_length")
    if kind == "json_invalid":
        return problem(400, "bad_request", "The body is not JSON.")
    if kind in ("string_too_long", "too_long") and limit is not None:
        unit = "characters" if kind == "string_too_long" else "entries"
        return problem(413, "too_large", f"'{place}' has more than {limit} {unit}; shorten it.")
    return problem(422, "invalid", f"'{place or 'body'}': {first['msg']}.")


def problem(status: int, code: str, message: str) -> Response:
    """An error answer."""
    return JSONResponse({"version": 1, "error": {"code": code, "message": message}}, status)
