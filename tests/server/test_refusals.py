"""A server without room: every API says so at once, connections live on, and it answers again when there is room."""

import asyncio
import json
import os
import re
import signal
from collections.abc import Awaitable, Callable

import httpx
import pytest
import uvicorn

from jumok.asgi.hosts import listen
from jumok.server.app import create_app
from jumok.server.door import Door
from jumok.server.limits import Limits
from jumok.server.protocol import LONGEST_HEAD, TOGETHER, timed
from jumok.server.service import Service
from jumok.server.worker import Loading
from tests.server.process import LINES, TRAINED

RUN = TRAINED / "rnnsearch"
ASKED = {
    "/v1/translate": {"text": LINES[0]},
    "/translate": {"q": LINES[0], "source": "en", "target": "fr"},
    "/translator/translate": [{"src": LINES[0], "id": 0}],
    "/v2/translate": {"text": [LINES[0]], "target_lang": "FR"},
}
Work = Callable[[httpx.AsyncClient, Service], Awaitable[None]]


def served(work: Work, logged: list[dict[str, object]]) -> None:
    """Runs `work` with a server of one worker and a queue of four sentences."""

    async def life() -> None:
        service = Service([RUN], Loading({}), 1, Limits(queue=4, linger=0.0, batch=1, deadline=120.0))
        listening = listen("127.0.0.1", [0], "The server")
        app = create_app(service, log=logged.append)
        config = uvicorn.Config(app, http=timed(5.0, Door(app)), log_level="warning", server_header=False)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=address, timeout=120) as client:
            await work(client, service)
        server.should_exit = True
        await serving

    asyncio.run(life())


async def fill(client: httpx.AsyncClient, service: Service) -> "list[asyncio.Task[httpx.Response]]":
    """Stops the worker and fills its queue; gives the requests that wait."""
    os.kill(service.crew.processes[0], signal.SIGSTOP)
    asked = []
    while not service.batcher.full:
        asked.append(asyncio.create_task(client.post("/v1/translate", json=ASKED["/v1/translate"])))
        waiting = service.batcher.waiting
        for _ in range(200):
            await asyncio.sleep(0.01)
            if service.batcher.waiting != waiting or service.batcher.busy == 0:
                break
    return asked


def raw(path: str, tree: object, *headers: str) -> bytes:
    """A whole request."""
    body = json.dumps(tree).encode()
    head = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


async def answers(client: httpx.AsyncClient, parts: list[bytes], wanted: int) -> list[bytes]:
    """The statuses on one connection after parts that are sent one after the other."""
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    for part in parts:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.02)
    text = b""
    async with asyncio.timeout(60):
        while len(re.findall(rb"HTTP/1\.1 \d{3}", text)) < wanted and (part := await reader.read(65536)):
            text += part
    writer.close()
    return re.findall(rb"HTTP/1\.1 (\d{3})", text)


def test_without_room_every_api_refuses_in_its_own_form_and_then_answers_again():
    logged: list[dict[str, object]] = []

    async def work(client: httpx.AsyncClient, service: Service) -> None:
        asked = await fill(client, service)
        before = len(logged)
        refused = [await client.post(path, json=tree) for path, tree in ASKED.items()]
        assert [one.status_code for one in refused] == [429] * 4
        assert all(int(one.headers["Retry-After"]) >= 1 and one.headers["date"] for one in refused)
        assert all(one.headers["x-content-type-options"] == "nosniff" for one in refused)
        message = "The queue is full; send the request again later."
        assert [one.json() for one in refused] == [
            {"error": {"code": "queue_full", "message": message}},
            {"error": message},
            {"error": message, "status": "error"},
            {"message": message},
        ]
        names = [one.headers["x-request-id"] for one in refused]
        assert [one["id"] for one in logged[before:]] == names
        assert [one["status"] for one in logged[before:]] == [429] * 4
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("/ready")).status_code == 503
        assert 'jumok_requests_total{route="/v2/translate",status="429"} 1.0' in (await client.get("/metrics")).text
        os.kill(service.crew.processes[0], signal.SIGCONT)
        found = await asyncio.gather(*asked)
        assert {one.status_code for one in found} == {200}
        assert len({one.text for one in found}) == 1
        assert (await client.post("/v1/translate", json=ASKED["/v1/translate"])).text == found[0].text

    served(work, logged)


def test_refusals_leave_connections_as_they_were():
    async def work(client: httpx.AsyncClient, service: Service) -> None:
        asked = await fill(client, service)
        one = raw("/v1/translate", ASKED["/v1/translate"])
        large = raw("/v1/translate", {"text": "a" * 2 * LONGEST_HEAD})
        many = 2 * LONGEST_HEAD // len(one)
        assert await answers(client, [one] * 3, 3) == [b"429"] * 3
        assert await answers(client, [one * many], many) == [b"429"] * many
        assert await answers(client, [one[:-7], one[-7:] + one[:9], one[9:]], 2) == [b"429"] * 2
        assert await answers(client, [large[:70_000], large[70_000:], one], 2) == [b"429"] * 2
        # What is answered by the application in any case: it says more, or closes the connection.
        page = raw("/v1/translate", ASKED["/v1/translate"], "Origin: http://example.org")
        closing = raw("/v1/translate", ASKED["/v1/translate"], "Connection: close")
        huge = raw("/v1/translate", {"text": "a" * 2_000_001})
        assert await answers(client, [page], 1) == [b"403"]
        assert await answers(client, [closing], 2) == [b"429"]
        assert await answers(client, [huge], 2) == [b"413"]
        assert await answers(client, [raw("/v1/nothing", {})], 1) == [b"404"]
        os.kill(service.crew.processes[0], signal.SIGCONT)
        assert {one.status_code for one in await asyncio.gather(*asked)} == {200}
        assert await answers(client, [one, one], 2) == [b"200"] * 2

    served(work, [])


@pytest.mark.parametrize("clients", [3 * TOGETHER])
def test_of_a_crowd_as_many_are_taken_as_there_is_room_for(clients: int):
    async def work(client: httpx.AsyncClient, service: Service) -> None:
        os.kill(service.crew.processes[0], signal.SIGSTOP)
        place = (client.base_url.host, client.base_url.port)
        opened = [await asyncio.open_connection(*place) for _ in range(clients)]
        for _, writer in opened:
            writer.write(raw("/v1/translate", ASKED["/v1/translate"]))
        await asyncio.sleep(1)
        os.kill(service.crew.processes[0], signal.SIGCONT)
        async with asyncio.timeout(60):
            found = [(await reader.readuntil(b"\r\n"))[9:12] for reader, _ in opened]
        for _, writer in opened:
            writer.close()
        room = service.limits.queue + 2  # and the batches that the worker has
        assert found.count(b"200") in range(service.limits.queue, room + 1)
        assert found.count(b"200") + found.count(b"429") == clients

    served(work, [])
