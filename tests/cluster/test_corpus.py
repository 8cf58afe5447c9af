"""A corpus on Ray Data: a worker killed in the middle loses and doubles nothing, order is kept, a restart continues."""

import os
import signal
from pathlib import Path

import pytest

from jumok.cluster.corpus import Work, join, part_file, translate_corpus
from jumok.cluster.session import connected
from jumok.data.phrasebook import generate
from jumok.decoding.options import Options
from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, open_engine
from jumok.errors import InputError

RUN = Path(__file__).parents[1] / "engine" / "trained" / "rnnsearch"
LINES = [one.source for one in generate("en-fr", "test", 120)]


@pytest.fixture(scope="module")
def cluster():
    with connected(processors=2):
        yield


@pytest.fixture
def work(tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return Work(str(RUN), str(corpus), str(tmp_path / "parts"), beam=3, lines=5)


def expected() -> str:
    translator = Translator([open_engine(RUN, "cpu", EngineChoice("auto", workers=1))])
    return "".join(f"{one.text}\n" for one in translator.translate_stream(LINES, Options(beam=3)))


def actors() -> list[int]:
    """The processes of the cluster that hold a model: Ray names a worker after what it runs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::" in path.read_bytes() and b"Worker" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def test_a_killed_worker_loses_and_doubles_nothing(cluster, work, tmp_path):
    killed = False
    for done, of in translate_corpus(work, workers=2):
        if not killed and 0 < done < of - 4 and actors():
            os.kill(actors()[0], signal.SIGKILL)
            killed = True
    assert killed
    join(work, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == expected()


def test_a_restart_does_only_what_is_missing(cluster, work, tmp_path):
    for done, of in translate_corpus(work, workers=2):
        assert of == 24
        if done == 9:
            break
    first = part_file(work, 0)
    for number in range(5, 24):
        part_file(work, number).unlink(missing_ok=True)
    written = first.stat().st_mtime_ns
    seen = [done for done, _ in translate_corpus(work, workers=1)]
    assert seen == list(range(5, 25))
    assert first.stat().st_mtime_ns == written
    join(work, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == expected()
    with pytest.raises(InputError, match="another run, corpus or setting"):
        next(translate_corpus(Work(work.run, work.corpus, work.parts, beam=1, lines=5), 1))


def test_ray_serve_answers_as_the_server_does(cluster):
    import httpx
    from ray import serve

    from jumok.cluster.serving import deployment

    serve.start(http_options={"host": "127.0.0.1", "port": 8699})
    serve.run(deployment(RUN, replicas=2), route_prefix="/")
    try:
        with httpx.Client(base_url="http://127.0.0.1:8699", timeout=60) as client:
            answer = client.post("/v1/translate", json={"text": LINES[:4], "beam": 3}).json()
            assert "".join(f"{one['text']}\n" for one in answer["translations"]) == "".join(
                f"{line}\n" for line in expected().splitlines()[:4]
            )
            assert client.post("/v1/translate", json={"text": 3}).status_code == 422
    finally:
        serve.shutdown()
