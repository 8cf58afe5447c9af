"""A server with several runs, behind a proxy, and one whose run has gone from the disk."""

import json
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, open_engine
from jumok.errors import RunError
from tests.server.process import LINES, TRAINED, children, start

ASKED = {"text": LINES[0]}


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Three runs, of which two translate the same way; for a proxy on this machine and one web page."""
    third = tmp_path_factory.mktemp("third") / "rnnsearch"
    shutil.copytree(TRAINED / "rnnsearch", third)
    config = json.loads((third / "config.json").read_text())
    config["data"] |= {"source": "a.ko", "target": "a.de", "source_language": "ko", "target_language": "de"}
    (third / "config.json").write_text(json.dumps(config))
    (third / "manifest.json").unlink()
    runs = [str(TRAINED / "rnnsearch"), str(TRAINED / "luong"), str(third)]
    options = ["--trusted-proxy", "127.0.0.1", "--allow-host", "example.org", "--allow-origin", "https://page.org"]
    process, address = start(*runs, "--workers", "1", "--root-path", "api", *options)
    with httpx.Client(base_url=address, timeout=60) as client:
        yield process, client
    process.terminate()
    process.communicate(timeout=30)


def test_a_request_chooses_its_run_by_name_or_languages(several):
    _, client = several
    assert [one["name"] for one in client.get("/v1/runs").json()["runs"]] == ["rnnsearch", "luong", "rnnsearch-2"]
    chosen = {"luong": {"run": "luong"}, "rnnsearch": {"source": "en"}, "rnnsearch-2": {"source": "ko", "target": "de"}}
    for name, choice in chosen.items():
        assert client.post("/v1/translate", json=ASKED | choice).json()["run"] == name
    with ThreadPoolExecutor(8) as pool:  # batches of one run only
        asked = [ASKED | {"run": name} for name in chosen] * 8
        assert [one.json()["run"] for one in pool.map(lambda tree: client.post("/v1/translate", json=tree), asked)] == [
            tree["run"] for tree in asked
        ]
    assert client.get("/languages").json() == [
        {"code": "en", "name": "English", "targets": ["fr"]},
        {"code": "ko", "name": "Korean", "targets": ["de"]},
    ]
    other = client.post("/v1/translate", json=ASKED | {"run": "luong", "target": "de"})
    assert (other.status_code, other.json()["error"]["message"]) == (400, "The run 'luong' translates en→fr.")
    assert client.post("/v1/translate", json=ASKED | {"run": "luong", "target": "fr"}).json()["run"] == "luong"
    refused = client.post("/v2/translate", json={"text": ["a"], "target_lang": "ES"})
    assert refused.status_code == 400
    assert refused.json() == {"message": "any→es is not served; there are en→fr, ko→de."}


def test_a_trusted_proxy_says_who_asks_and_a_page_is_let_in_by_name(several):
    process, client = several
    page = {"Host": "example.org", "Origin": "https://page.org", "X-Forwarded-For": "198.51.100.7"}
    before = client.options("/v1/translate", headers=page | {"Access-Control-Request-Method": "POST"})
    answer = client.post("/api/v1/translate", json=ASKED, headers=page)
    assert [before.status_code, answer.status_code] == [200, 200]
    assert {one.headers["access-control-allow-origin"] for one in (before, answer)} == {"https://page.org"}
    other = page | {"Origin": "https://other.org"}
    assert client.post("/v1/translate", json=ASKED, headers=other).status_code == 403
    assert "access-control-allow-origin" not in client.post("/v1/translate", json=ASKED).headers
    for refused in (
        client.post("/v1/translate", content=b"x" * 2_000_001, headers=page),
        client.get("/v1/x", headers=page),
    ):
        assert refused.status_code in (413, 404)  # a page reads these too
        assert refused.headers.get_list("access-control-allow-origin") == ["https://page.org"]
        assert "Retry-After" in refused.headers["access-control-expose-headers"]
    for line in process.stderr:
        if '"status": 403' in line:
            break
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("method") == "POST" and told["client"] != "127.0.0.1":
            assert told["client"] == "198.51.100.7"
            break
    else:
        raise AssertionError("the log names no client")


def test_a_run_that_has_gone_is_served_until_its_worker_dies_and_again_when_it_is_back(tmp_path):
    folder, away = tmp_path / "run", tmp_path / "away"
    shutil.copytree(TRAINED / "rnnsearch", folder)
    process, address = start(str(folder), "--workers", "1")
    with httpx.Client(base_url=address, timeout=120) as client:
        expected = client.post("/v1/translate", json=ASKED).json()
        folder.rename(away)
        process.send_signal(signal.SIGHUP)
        while not (line := process.stderr.readline()).startswith("Not loaded again"):  # type: ignore[union-attr]
            assert line
        assert client.post("/v1/translate", json=ASKED).json() == expected
        seen = client.post("/v1/translate", json=ASKED | {"glossary": {"book": "livre"}})  # over torch
        assert (seen.status_code, seen.json()["error"]["code"]) == (503, "run_changed")
        assert str(tmp_path) not in seen.text
        assert client.get("/ready").status_code == 200
        os.kill(children(process)[0], signal.SIGKILL)
        refused = client.post("/v1/translate", json=ASKED)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no_worker")
        assert int(refused.headers["Retry-After"]) >= 1
        assert str(tmp_path) not in refused.text
        ready = client.get("/ready")
        assert (ready.status_code, ready.json()["error"]) == (503, refused.json()["error"]["message"])
        away.rename(folder)
        limit = time.monotonic() + 120
        while client.get("/ready").status_code != 200:  # who is not ready is sent nothing, and gets ready by itself
            assert time.monotonic() < limit
            time.sleep(0.2)
        assert client.post("/v1/translate", json=ASKED).json() == expected
    process.terminate()
    _, told = process.communicate(timeout=30)
    assert "a worker cannot be replaced: There is no run folder" in told


def test_what_is_loaded_later_is_of_the_weights_that_are_served(tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(TRAINED / "rnnsearch", folder)
    translator = Translator([open_engine(folder, "cpu", EngineChoice("fast"))])
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"seed": 7}))
    (folder / "manifest.json").unlink()
    with pytest.raises(RunError, match="has changed since it was opened"):
        translator.translate(LINES[0], attention=True, tree=True)


def test_texts_that_ended_requests_are_translated(served):
    _, client, _ = served
    for text in ("A secret\u00a0. Next one.", "<b>" * 1400 + "Two women." + "</b>" * 1400):
        answer = client.post("/v1/translate", json={"text": text, "format": "html"})
        assert answer.status_code == 200


def test_a_word_alone_in_capitals_is_translated_as_the_word(served):
    _, client, _ = served

    def text(word: str) -> str:
        return client.post("/v1/translate", json={"text": word}).json()["translations"][0]["text"]

    assert text("BOOK") == text("book").upper()
    assert [text(one) for one in ("12", "***", "?!", " \n", "")] == ["12", "***", "?!", " \n", ""]
