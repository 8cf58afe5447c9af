"""Requests on Ray Serve: each replica has the model, batches what arrives together, and speaks `/v1/translate`."""

from pathlib import Path
from typing import Any, cast

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.errors import JumokError
from jumok.server.batcher import Versioned, told_of
from jumok.server.guard import refusal
from jumok.server.limits import Limits
from jumok.server.problems import RefusedError, invalid
from jumok.server.routes import read_request, translate_answer, wish_of
from jumok.server.runs import served_runs
from jumok.server.service import check_request, complete, prepare
from jumok.server.work import Batch, Plain, Trouble
from jumok.server.worker import translate


class Replica:
    """One model of the cluster; Ray Serve batches the lines of its requests."""

    def __init__(self, run: str, engine: str = "auto", precision: str = "float32") -> None:
        from jumok.engine.loading import EngineChoice, open_engine

        self.limits = Limits()
        self.run = next(iter(served_runs([Path(run)]).values()))
        choice = EngineChoice(engine, precision, workers=1)  # type: ignore[arg-type]
        self.translator = Translator([open_engine(run, "cpu", choice)])

    async def search(self, asked: list[tuple[str, Options]]) -> list[Translation | Plain | Trouble]:
        """The translations of lines of several requests, those with the same options together; what is wrong with a
        line harms no other."""
        found: dict[int, Translation | Plain | Trouble] = {}
        for options in dict.fromkeys(each for _, each in asked):
            own = [number for number, (_, each) in enumerate(asked) if each == options]
            batch = Batch(0, self.run.name, tuple(asked[number][0] for number in own), options)
            found |= dict(zip(own, translate({self.run.name: self.translator}, batch).results, strict=True))
        return [found[number] for number in range(len(asked))]

    async def answer(self, body: bytes, search: Any) -> tuple[int, str]:
        """The status and JSON of a request; `search` gives the translation of one line."""
        import asyncio

        try:
            asked = read_request(body)
            texts, wish = asked.texts, wish_of(asked)
            check_request(texts, wish, self.limits)
            todo = prepare(texts, self.run, wish)
            pairs = zip(todo.lines, todo.options, strict=True)
            done = await asyncio.gather(*(search((line, options)) for line, options in pairs))
            if (trouble := next((one for one in done if isinstance(one, Trouble)), None)) is not None:
                raise told_of(trouble)
        except JumokError as error:
            refused = error if isinstance(error, RefusedError) else invalid(str(error))
            return refused.status, refusal(refused, "/v1/").decode()
        version = self.translator.run.hash
        answers = complete(todo, [Versioned(one, version) for one in done], self.run.name, wish)
        return 200, translate_answer(asked, self.run, answers, version)


def deployment(run: Path, replicas: int, engine: str = "auto", precision: str = "float32") -> Any:
    """The application that `ray.serve.run` starts on a cluster.

    run         the run folder, which every machine can read
    replicas    processes of the cluster that translate
    engine      auto, torch, fast or ctranslate2
    precision   float32 or int8 (quick engines)
    """
    from ray import serve  # pyright: ignore[reportMissingImports]
    from starlette.requests import Request
    from starlette.responses import Response

    @serve.deployment(num_replicas=replicas, ray_actor_options={"num_cpus": 1}, max_ongoing_requests=64)
    class Translation(Replica):
        @serve.batch(max_batch_size=16, batch_wait_timeout_s=0.002)
        async def searched(self, asked: list[Any]) -> list[Any]:
            return await self.search(asked)

        async def __call__(self, request: Request) -> Response:
            status, text = await self.answer(await request.body(), self.searched)
            return Response(text, status, media_type="application/json")

    return cast(Any, Translation).bind(str(run.resolve()), engine, precision)
