"""`POST /v1/translate` without a framework around it: routing and middleware take longer than a small model for a line.

FastAPI has the same route, for its description and for requests of web pages; everything else is handed on to it.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from jumok.asgi.messages import body_parts, respond
from jumok.errors import JumokError
from jumok.server.guard import refusal
from jumok.server.problems import RefusedError, failed, invalid
from jumok.server.routes import glossary_of, translate_body
from jumok.server.service import Service

PATH = "/v1/translate"
JSON = ("content-type", "application/json")


class Direct:
    """ASGI application in front of another."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST" or from_page(scope):
            await self.app(scope, receive, send)
            return
        body = b"".join([part async for part in body_parts(receive)])
        try:
            text = await translate_body(self.service, body, glossary_of(scope))
        except JumokError as error:
            await refuse(send, error if isinstance(error, RefusedError) else invalid(str(error)))
        except Exception:
            await refuse(send, failed())
            raise  # for the log
        else:
            await respond(send, 200, text.encode(), [JSON])


def from_page(scope: Scope) -> bool:
    """Whether a browser asks for a web page: then the answer has headers that say so."""
    return any(name == b"origin" for name, _ in scope["headers"])


async def refuse(send: Send, error: RefusedError) -> None:
    """The answer to a request that has none."""
    await respond(send, error.status, refusal(error, PATH), [JSON, *error.headers.items()])
