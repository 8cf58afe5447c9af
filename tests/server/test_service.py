"""The service without HTTP: glossary, a full queue, and searches that are ended at their deadline."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jumok.cluster.serving import Replica
from jumok.data.phrasebook import generate
from jumok.decoding.options import Options
from jumok.server.asking import Asking, asking
from jumok.server.limits import Limits
from jumok.server.problems import RefusedError
from jumok.server.service import Service, Wish
from jumok.server.work import Trouble
from jumok.server.worker import Loading

RUN = Path(__file__).parents[1] / "engine" / "trained" / "rnnsearch"
LINES = [one.source for one in generate("en-fr", "test", 24)]


def served(limits: Limits, work: Callable[[Service], Awaitable[object]]) -> None:
    """Runs `work` on a service with one worker."""

    async def run() -> None:
        service = Service([RUN], Loading({}), workers=1, limits=limits)
        await service.start()
        try:
            await work(service)
        finally:
            await service.close()

    asyncio.run(run())


def test_a_term_of_the_glossary_is_written_where_its_source_stands():
    async def work(service: Service) -> None:
        word = LINES[0].split()[1]
        texts = [LINES[0], next(line for line in LINES if word not in line)]
        wish = Wish(glossary={word: "fromage"})
        with_term, without = await service.translate(texts, service.find(), wish)
        assert "fromage" in with_term.text
        assert "fromage" not in without.text

    served(Limits(), work)


def test_what_the_queue_has_no_room_for_is_refused_at_once():
    async def work(service: Service) -> None:
        async def ask(line: str) -> str:
            try:
                await service.translate([line], service.find(), Wish())
            except RefusedError as error:
                return f"{error.status} {error.code} {error.headers['Retry-After']}"
            return "answered"

        found = await asyncio.gather(*map(ask, LINES))
        assert found.count("answered") == 5
        assert found.count("429 queue_full 1") == len(LINES) - 5

    served(Limits(queue=5), work)


def test_a_key_is_charged_for_what_is_taken_and_not_for_what_is_refused():
    async def work(service: Service) -> None:
        charged: list[int] = []
        asking.set(Asking("a", charged.append))
        with pytest.raises(RefusedError, match="at most 5 sentences"):
            await service.translate(LINES[:6], service.find(), Wish())
        assert charged == []
        await service.translate(LINES[:5], service.find(), Wish())
        assert charged == [5]

    served(Limits(queue=5), work)


def test_a_late_search_is_ended_and_its_worker_replaced():
    async def work(service: Service) -> None:
        before = service.crew.processes
        long = " ".join(LINES).replace(".", " ")[:990]  # batches that take several times the deadline
        refusals = set[tuple[int, str]]()
        for _ in range(60):  # on a busy machine the deadline may pass before the search has begun
            try:
                await service.translate([long] * 256, service.find(), Wish(beam=16))
            except RefusedError as error:
                refusals.add((error.status, error.code))
            await asyncio.sleep(0.5)
            if service.crew.processes != before:
                break
        assert service.crew.processes != before
        assert (503, "deadline") in refusals
        for _ in range(600):  # until the new worker has loaded its model
            try:
                assert (await service.translate([LINES[1]], service.find(), Wish()))[0].text
                return
            except RefusedError:
                await asyncio.sleep(0.1)
        raise AssertionError("the replaced worker never answered")

    served(Limits(deadline=0.1, batch=512, rows=512 * 16), work)


def test_a_replica_of_a_cluster_refuses_what_it_cannot_write_and_harms_no_other_request():
    """Ray Serve batches lines of several requests: one with a term that no token writes failed all of them with 500."""
    replica = Replica(str(RUN))

    async def life() -> None:
        good, bad = (LINES[0], Options()), (LINES[0], Options(require=("鬱",)))
        found = await replica.search([good, bad, good])
        assert [isinstance(one, Trouble) for one in found] == [False, True, False]

        async def searched(one: tuple[str, Options]) -> object:
            return (await replica.search([one]))[0]

        for glossary, status in (({LINES[0].split()[0]: "鬱"}, 422), ({"*": "a"}, 422), ({}, 200)):
            body = json.dumps({"text": LINES[0], "glossary": glossary}).encode()
            assert (await replica.answer(body, searched))[0] == status

    asyncio.run(life())
