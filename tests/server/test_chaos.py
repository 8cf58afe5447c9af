"""What happens to a server: workers that die or fail, signals, connections that stall, clients that leave."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn

from jumok.asgi.hosts import listen
from jumok.decoding.options import Options
from jumok.errors import JumokError
from jumok.server.app import create_app
from jumok.server.crew import Crew
from jumok.server.guard import Access, Guard
from jumok.server.keys import new_key, read_keys
from jumok.server.limits import Limits
from jumok.server.metrics import Metrics
from jumok.server.protocol import LONGEST_HEAD, timed
from jumok.server.service import Service, Wish
from jumok.server.work import Batch, Done, Trouble
from jumok.server.worker import Loading, translate
from tests.server.process import LINES, TRAINED, children, start

RUN = str(TRAINED / "rnnsearch")


def test_an_error_of_ours_is_logged_without_the_text():
    """A failure must not bring what a client wrote into the log, as an exception's message would."""
    told: list[dict[str, object]] = []

    async def failing(scope, receive, send):
        await send({"type": "http.response.start", "status": 500, "headers": []})
        raise ValueError("secret text")

    class Idle:
        limits, metrics = Limits(), Metrics()

        def no_room(self) -> None:
            return None

    async def ask() -> None:
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/v1/runs",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
        }
        guard = Guard(failing, Access(), Idle(), told.append)  # type: ignore[arg-type]

        async def receive() -> dict[str, object]:
            return await asyncio.Future()

        async def send(_message: object) -> None:
            return None

        await guard(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(ask())
    first, second = told
    assert (first["error"], first["id"], second["status"]) == ("ValueError", second["id"], 500)
    assert str(first["at"]).startswith("test_chaos.py, line ")
    assert "secret" not in str(told)


def test_sigterm_answers_what_is_under_way_and_ends_the_workers():
    process, address = start(RUN, "--workers", "1")
    workers = children(process)
    with httpx.Client(base_url=address, timeout=60) as client, ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(client.post, "/v1/translate", json={"text": LINES, "beam": 8}) for _ in range(8)]
        until = time.monotonic() + 60
        while "jumok_requests_under_way 0.0" in client.get("/metrics").text and time.monotonic() < until:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        answered = [one.result().status_code for one in asked if one.exception() is None]
    assert process.wait(60) == 0
    assert answered.count(200) >= 1
    assert set(answered) == {200}
    assert not any(Path(f"/proc/{one}").exists() for one in workers)


def test_a_line_that_fails_does_not_spoil_those_of_other_clients():
    class Model:
        def translate_stream(self, lines, options):
            if "bad" in lines:
                raise RuntimeError("secret text")
            return iter(line.upper() for line in lines)

    done = translate({"run": Model()}, Batch(1, "run", ("a", "bad", "b"), Options()))  # type: ignore[dict-item]
    assert done == Done(1, ["A", Trouble("The model failed at this text.", ours=True), "B"])  # type: ignore[list-item]


def test_a_killed_worker_is_replaced_with_its_batch_answered():
    crew = Crew(Loading({"run": RUN}), 1)
    try:
        os.kill(crew.processes[0], signal.SIGKILL)
        done, ready = crew.translate(0, Batch(3, "run", (LINES[0],), Options()), time.monotonic() + 60)
        assert done.number == 3
        assert done.results[0].text  # type: ignore[union-attr]
        assert ready.versions == crew.ready.versions
    finally:
        crew.close()


def test_a_client_that_leaves_is_not_translated_for(served):
    _, client, address = served
    host, port = address.removeprefix("http://").split(":")
    body = json.dumps({"text": LINES * 10, "beam": 8}).encode()

    def number(name: str) -> float:
        lines = client.get("/metrics").text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    before = number("jumok_sentences_total")
    with socket.create_connection((host, int(port))) as one:
        one.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        one.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        until = time.monotonic() + 60
        while not number("jumok_queue_sentences"):
            assert time.monotonic() < until
    assert client.post("/v1/translate", json={"text": LINES[0]}).status_code == 200
    assert number("jumok_sentences_total") == before + 1
    assert number("jumok_requests_under_way") == 1


def test_connections_that_stall_are_closed_and_others_are_served():
    """Headers that never end, bodies that never come, answers that nobody reads: each is closed after its second."""

    async def life() -> None:
        limits = Limits(body_seconds=1.0, requests=20)
        service = Service([Path(RUN)], Loading({}), 1, limits)
        listening = listen("127.0.0.1", [0], "The server")
        config = uvicorn.Config(create_app(service, log=lambda _: None), http=timed(1.0), log_level="warning")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        place = ("127.0.0.1", listening.getsockname()[1])
        head = b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        beginnings = [
            b"",
            b"POST /v1/tr",
            head,
            head + b"Content-Length: 50\r\n\r\n",
            head + b"Content-Length: 9\r\n\r\n{",
        ]
        stalled = [await asyncio.open_connection(*place) for _ in range(12) for _ in beginnings]
        for number, (_, writer) in enumerate(stalled):
            writer.write(beginnings[number % len(beginnings)])
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{place[1]}", timeout=60) as client:
            answer = await client.post("/v1/translate", json={"text": LINES[0]})
            assert answer.status_code == 200
            async with asyncio.timeout(30):
                ends = [await reader.read() for reader, _ in stalled]
            assert {one[9:12] for one in ends} == {b"", b"408"}
            await asyncio.sleep(1.5)  # a connection that is idle between requests is older than the limit by now
            assert (await client.post("/v1/translate", json={"text": LINES[0]})).json() == answer.json()
        server.should_exit = True
        await serving

    asyncio.run(life())


def test_each_key_has_its_own_rate_and_glossary(tmp_path):
    keys = tmp_path / "keys"
    first, second = new_key(keys, "first"), new_key(keys, "second")
    (tmp_path / "terms.tsv").write_text(f"{LINES[0].split()[1]}\tfromage\n")
    lines = keys.read_text().splitlines()
    keys.write_text(f"{lines[0]} 2\n{lines[1]} 600 terms.tsv\n")
    assert [one.rate for one in read_keys(keys, 9)] == [2, 600]
    process, address = start(RUN, "--workers", "1", "--keys", str(keys))
    with httpx.Client(base_url=address, timeout=60) as client:
        ask = {"text": LINES[0]}
        with_first, with_second = ({"Authorization": f"Bearer {one}"} for one in (first, second))
        with_first["Authorization"] = with_first["Authorization"].replace("Bearer", "bearer")  # in any case of letters
        answers = [client.post("/v1/translate", json=ask, headers=with_first) for _ in range(3)]
        assert [one.status_code for one in answers] == [200, 200, 429]
        assert int(answers[2].headers["Retry-After"]) >= 1
        answer = client.post("/v1/translate", json=ask, headers=with_second)
        assert "fromage" in answer.json()["translations"][0]["text"]
        form = {"q": (None, LINES[0]), "source": (None, "en"), "target": (None, "fr"), "api_key": (None, second)}
        assert client.post("/translate", files=form).status_code == 200
    process.terminate()
    assert process.wait(30) == 0


def test_under_a_proxy_both_kinds_of_paths_are_known():
    process, address = start(RUN, "--workers", "1", "--root-path", "/translate", "--allow-host", "example.org")
    ask = {"q": LINES[0], "source": "en", "target": "fr"}
    with httpx.Client(base_url=address, timeout=60, headers={"Host": "example.org"}) as client:
        answers = [client.post(path, json=ask) for path in ("/translate", "/translate/translate")]
        assert [one.status_code for one in answers] == [200, 200]
        assert client.get("/translate/v1/openapi.json").json()["servers"] == [{"url": "/translate"}]
        assert client.get("/translate/v1/nothing").json()["error"]["code"] == "not_found"
    process.terminate()
    assert process.wait(30) == 0


def test_a_reload_that_fails_leaves_the_runs_as_they_were(tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(RUN, folder)

    async def life() -> None:
        service = Service([folder], Loading({}), 1)
        await service.start()
        before = service.crew.processes
        (folder / "model.safetensors").write_bytes(b"broken")
        with pytest.raises(JumokError, match=r"model\.safetensors"):
            await service.reload()
        assert service.crew.processes == before
        assert (await service.translate([LINES[0]], service.find(), Wish()))[0].text
        await service.close()

    asyncio.run(life())


def test_headers_that_do_not_end_close_their_connection_and_large_bodies_do_not(served):
    _, client, _ = served
    place = (client.base_url.host, client.base_url.port)
    head = b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    body = json.dumps({"text": LINES[0], "keep": ["x" * 500] * 190}).encode()
    whole = head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    assert len(body) > LONGEST_HEAD
    endless = b"X-More: " + b"x" * LONGEST_HEAD

    def statuses(sent: bytes, wanted: int) -> list[bytes]:
        """The statuses of the answers, until there are as many as wanted or the connection is closed."""
        text = b""
        with socket.create_connection(place, timeout=60) as one, suppress(ConnectionResetError):
            one.sendall(sent)
            while text.count(b"HTTP/1.1 ") < wanted and (part := one.recv(65536)):
                text += part
        return re.findall(rb"HTTP/1\.1 (\d{3})", text)

    assert statuses(head + endless, 2) == [b"400"]
    assert statuses(whole + whole, 2) == [b"200", b"200"]
    # Behind a request that is under way there is nothing to say but to close; behind one that is over there is.
    assert statuses(whole + head + endless, 3) in ([], [b"200"], [b"200", b"400"])
