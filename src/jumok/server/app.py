"""The application: every API over one service, errors in the form of the API that was asked, the guard in front."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from jumok.errors import JumokError
from jumok.server.asking import Asking, asking
from jumok.server.compatible import add_deepl, add_libretranslate, add_opennmt
from jumok.server.direct import Direct
from jumok.server.guard import EXPOSED, Access, Guard, problem_tree
from jumok.server.log import Log, Logbook
from jumok.server.problems import RefusedError
from jumok.server.routes import add_health, add_own
from jumok.server.service import Service
from jumok.version import __version__


def create_app(service: Service, access: Access | None = None, *, log: Log | None = None) -> Guard:
    """The server as an ASGI application; it starts the service with its event loop and closes it in the end."""
    access, book = access or Access(), None if log else Logbook()
    written = log or cast(Log, book)
    if access.log_text:
        service.on_texts = lambda texts: written({"id": (asking.get() or Asking()).name, "texts": list(texts)})

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await service.close()
        if book is not None:
            book.close()

    app = FastAPI(title="Jumok", version=__version__, description="Translation; see docs/serving.md.",
                  openapi_url="/v1/openapi.json", docs_url=None, redoc_url=None, lifespan=lifespan,
                  redirect_slashes=False, servers=[{"url": access.root or "/"}])  # fmt: skip
    router = APIRouter()
    for add in (add_own, add_health, add_libretranslate, add_opennmt, add_deepl):
        add(router, service)
    app.include_router(router)
    add_errors(app)
    if access.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(access.origins), allow_methods=["GET", "POST"], allow_headers=["*"],
            expose_headers=EXPOSED,
        )  # fmt: skip
    return Guard(Direct(app, service), access, service, written)


def add_errors(app: FastAPI) -> None:
    """Every error in one form; nothing of the inside is told."""

    def problem(
        request: Request, status: int, code: str, message: str, headers: dict[str, str] | None = None
    ) -> Response:
        return JSONResponse(problem_tree(code, message, request.scope["path"]), status, headers)

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> Response:
        return problem(request, error.status, error.code, str(error), error.headers)

    @app.exception_handler(JumokError)
    async def cannot(request: Request, error: JumokError) -> Response:
        return problem(request, 422, "invalid", str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return problem(request, 400, "bad_request", "The body is not JSON.")
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        return problem(request, 422, "invalid", f"'{place or 'body'}': {first['msg']}.")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        told = {404: "There is nothing at this address.", 405: "This address takes another method."}
        message = told.get(error.status_code, str(error.detail))
        code = "not_found" if error.status_code == 404 else "bad_request"
        return problem(request, error.status_code, code, message, dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def failed(request: Request, _error: Exception) -> Response:
        return problem(request, 500, "internal", "The server failed at this request; its log says how.")
