"""Batches that are sent to a worker before it is done with the last one: none is lost, doubled or mixed up."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.errors import RunError
from jumok.server.crew import Crew, start_worker
from jumok.server.places import Worker
from jumok.server.problems import RefusedError
from jumok.server.work import Batch, Done
from jumok.server.worker import Loading
from tests.server.process import LINES, TRAINED, children, start

RUN = str(TRAINED / "rnnsearch")


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew(Loading({"run": RUN}), 1)
    yield made
    made.close()


def batch(number: int) -> Batch:
    return Batch(number, "run", (LINES[number], LINES[number + 1]), Options())


def texts(done: Done) -> list[str]:
    return [one.text for one in done.results if isinstance(one, Translation)]


def ask(crew: Crew, number: int, seconds: float = 120.0) -> list[str]:
    done, _ = crew.translate(0, batch(number), time.monotonic() + seconds)
    assert done.number == number
    return texts(done)


def expected(alone: dict[str, str], number: int) -> list[str]:
    return [alone[LINES[number]], alone[LINES[number + 1]]]


def test_answers_belong_to_their_batches(crew, alone):
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda number: ask(crew, number), range(12)))
    assert found == [expected(alone, number) for number in range(12)]


def test_both_batches_of_a_killed_worker_are_answered(crew, alone):
    with ThreadPoolExecutor(3) as pool:
        for first in (0, 6):
            os.kill(crew.processes[0], signal.SIGSTOP)
            asked = [pool.submit(ask, crew, first + number) for number in range(3)]
            time.sleep(0.2)
            os.kill(crew.processes[0], signal.SIGKILL)
            assert [one.result() for one in asked] == [expected(alone, first + number) for number in range(3)]


def test_a_batch_behind_a_late_one_is_answered(crew, alone):
    with ThreadPoolExecutor(2) as pool:
        os.kill(crew.processes[0], signal.SIGSTOP)
        late = pool.submit(ask, crew, 0, 0.5)
        time.sleep(0.1)
        behind = pool.submit(ask, crew, 1)
        with pytest.raises(RefusedError, match="deadline"):
            late.result()
        assert behind.result() == expected(alone, 1)


def test_a_reload_lets_a_worker_answer_what_it_has(crew, alone):
    before = crew.processes
    with ThreadPoolExecutor(3) as pool:
        os.kill(before[0], signal.SIGSTOP)
        asked = [pool.submit(ask, crew, number) for number in range(2)]
        time.sleep(0.2)
        reloaded = pool.submit(crew.reload)
        while crew.processes == before:
            time.sleep(0.01)
        fresh = pool.submit(ask, crew, 2)
        time.sleep(0.2)
        assert not any(one.done() for one in (*asked, fresh, reloaded))
        os.kill(before[0], signal.SIGCONT)
        assert [one.result() for one in (*asked, fresh)] == [expected(alone, number) for number in range(3)]
        reloaded.result()
    assert not Path(f"/proc/{before[0]}").exists()


def test_a_reload_under_load_drops_nothing_and_says_which_version_answered(tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(RUN, folder)
    process, address = start(str(folder), "--workers", "2")
    with httpx.Client(base_url=address, timeout=120) as client, ThreadPoolExecutor(6) as pool:

        def asked(number: int) -> tuple[int, str]:
            answer = client.post("/v1/translate", json={"text": LINES[number % 8 :], "beam": 2})
            return answer.status_code, answer.json().get("version", "")

        old = client.get("/v1/runs").json()["runs"][0]["version"]
        shutil.rmtree(folder)
        shutil.copytree(TRAINED / "luong", folder)
        found = [asked(0)]
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 120
        while time.monotonic() < until and old in found[-1][1]:
            found += pool.map(asked, range(12))
        new = client.get("/v1/runs").json()["runs"][0]["version"]
    process.terminate()
    assert process.wait(60) == 0
    assert {status for status, _ in found} == {200}
    assert new != old
    assert {version for _, told in found for version in told.split(",")} == {old, new}


def test_a_worker_replaced_after_the_run_has_changed_takes_the_others_along(tmp_path):
    """One of two workers dies and loads what is on disk now: then both must, or a text has two translations."""
    folder = tmp_path / "run"
    shutil.copytree(RUN, folder)
    process, address = start(str(folder), "--workers", "2")
    with httpx.Client(base_url=address, timeout=120) as client, ThreadPoolExecutor(6) as pool:

        def version(_: int) -> str:
            answer = client.post("/v1/translate", json={"text": LINES, "beam": 1})
            assert answer.status_code == 200
            return answer.json()["version"]

        old = version(0)
        shutil.rmtree(folder)
        shutil.copytree(TRAINED / "luong", folder)
        os.kill(children(process)[0], signal.SIGKILL)
        until, found = time.monotonic() + 120, {old}
        while len(found) > 1 or old in found or len(children(process)) != 2:
            assert time.monotonic() < until
            found = set(pool.map(version, range(24)))
        assert found == {client.get("/v1/runs").json()["runs"][0]["version"]}
    process.terminate()
    _, told = process.communicate(timeout=60)
    assert "a run has changed on disk and is loaded again" in told


def test_a_reload_that_fails_halfway_changes_no_worker(monkeypatch):
    crew = Crew(Loading({"run": RUN}), 2)
    try:
        before, started = crew.processes, list[Worker]()

        def failing(loading: Loading) -> Worker:
            if started:
                raise RunError("The weights are being written.")
            started.append(start_worker(loading))
            return started[0]

        monkeypatch.setattr("jumok.server.crew.start_worker", failing)
        with pytest.raises(RunError, match="being written"):
            crew.reload()
        assert crew.processes == before
        assert not started[0].process.is_alive()
    finally:
        crew.close()


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_company_changes_nothing_in_either_precision(precision):
    """The same text has the same answer, to the last digit of its confidence, whoever else asks."""
    process, address = start(RUN, "--workers", "2", "--precision", precision)
    with httpx.Client(base_url=address, timeout=120) as client, ThreadPoolExecutor(16) as pool:

        def asked(number: int) -> object:
            tree = {"text": LINES[number % len(LINES)], "beam": 1 + number % 3, "sentences": number % 2 == 0}
            return client.post("/v1/translate", json=tree).json()["translations"]

        numbers = range(6 * len(LINES))
        together = list(pool.map(asked, numbers))
        assert together == [asked(number) for number in numbers]
    process.terminate()
    assert process.wait(60) == 0
