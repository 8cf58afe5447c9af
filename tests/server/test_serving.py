"""`jumok serve` as a process of its own, asked by clients that exist, and killed workers."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
from libretranslatepy import LibreTranslateAPI

from jumok.server.keys import new_key
from tests.server.process import LINES, TRAINED, children, start


def test_many_clients_get_what_each_gets_alone(served, alone):
    _, client, _ = served

    def ask(line: str) -> str:
        return client.post("/v1/translate", json={"text": line}).json()["translations"][0]["text"]

    with ThreadPoolExecutor(12) as pool:
        found = dict(zip(LINES * 2, pool.map(ask, LINES * 2), strict=True))
    assert found == alone


def test_white_space_comes_back_as_it_was(served, alone):
    _, client, _ = served
    text = f"  {LINES[0]}  {LINES[1]}\r\n\r\n\t{LINES[2]}\n"
    found = client.post("/v1/translate", json={"text": text}).json()["translations"][0]["text"]
    one, two, three = (alone[line] for line in LINES[:3])
    assert found == f"  {one}  {two}\r\n\r\n\t{three}\n"


def test_a_result_carries_what_is_asked_for(served):
    _, client, _ = served
    asked = {"text": LINES[0], "alternatives": 2, "alignment": True, "attention": True}
    answer = client.post("/v1/translate", json=asked).json()
    (text,) = answer["translations"]
    (sentence,) = text["sentences"]
    assert len(sentence["alternatives"]) == 2
    assert 0 < sentence["confidence"] <= 1
    assert sentence["alignment"]
    assert len(sentence["attention"]["cross"][0][0]) == len(sentence["tokens"]) + 1
    runs = client.get("/v1/runs").json()["runs"]
    assert answer["version"] == runs[0]["version"]
    assert runs[0]["engine"] == "fast"


def test_the_unmodified_libretranslate_client_works(served, alone):
    _, _, address = served
    client = LibreTranslateAPI(address)
    assert client.translate(LINES[0], "en", "fr") == alone[LINES[0]]
    assert client.translate(LINES[0], "auto", "fr") == alone[LINES[0]]
    assert client.languages() == [{"code": "en", "name": "English", "targets": ["fr"]}]
    assert client.detect(LINES[0])[0]["language"] == "en"


def test_libretranslate_takes_lists_and_says_what_is_wrong(served, alone):
    _, client, _ = served
    asked = {"q": LINES[:2], "source": "en", "target": "fr", "alternatives": 1}
    answer = client.post("/translate", json=asked).json()
    assert answer["translatedText"] == [alone[line] for line in LINES[:2]]
    assert len(answer["alternatives"]) == 2
    for wrong in ({"q": "x", "source": "en", "target": "xx"}, {"source": "en"}, {"q": 3}, [1]):
        refused = client.post("/translate", json=wrong)
        assert refused.status_code == 400
        assert isinstance(refused.json()["error"], str)
    assert client.get("/frontend/settings").json()["charLimit"] == 20_000


def test_opennmt_and_deepl(served, alone):
    _, client, _ = served
    models = client.get("/translator/models").json()
    assert models[0]["model_id"] == 0
    answer = client.post("/translator/translate", json=[{"src": line, "id": 0} for line in LINES[:2]]).json()
    assert [one["tgt"] for one in answer[0]] == [alone[line] for line in LINES[:2]]
    asked = {"text": LINES[:2], "target_lang": "FR", "source_lang": "EN"}
    told = client.post("/v2/translate", json=asked).json()["translations"]
    assert [one["text"] for one in told] == [alone[line] for line in LINES[:2]]
    assert told[0]["detected_source_language"] == "EN"


def test_tags_and_placeholders_come_through(served):
    _, client, _ = served
    words = LINES[0].split()
    text = f"<p>{words[0]} <b>{' '.join(words[1:3])}</b> {' '.join(words[3:])}</p><script>x < 1</script>"
    found = client.post("/v1/translate", json={"text": text, "format": "html"}).json()["translations"][0]["text"]
    assert found.startswith("<p>")
    assert found.endswith("</p><script>x < 1</script>")
    assert 0 < found.index("<b>") < found.index("</b>")
    text = f"{words[0]} {{name}} https://example.org/a {' '.join(words[1:])}"
    found = client.post("/v1/translate", json={"text": text}).json()["translations"][0]["text"]
    assert found.count("{name}") == found.count("https://example.org/a") == 1


def test_limits_and_hosts(served):
    _, client, _ = served
    assert client.post("/v1/translate", json={"text": "a" * 20_001}).status_code == 413
    assert client.post("/v1/translate", content=b"x" * 2_000_001).status_code == 413
    assert client.post("/v1/translate", json={"text": "a", "beam": 500}).status_code == 413
    assert client.post("/v1/translate", content=b'{"text": "\\ud800"}').status_code in (400, 422)
    assert client.get("/health", headers={"Host": "example.org"}).status_code == 403
    assert client.get("/v1/runs", headers={"Origin": "http://example.org"}).status_code == 403
    assert "jumok_requests_total" in client.get("/metrics").text
    assert client.get("/ready").status_code == 200


def test_a_killed_worker_is_replaced_and_a_reload_drops_nothing(served, alone):
    process, client, _ = served

    def ask(line: str) -> str:
        return client.post("/v1/translate", json={"text": line}).json()["translations"][0]["text"]

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, line) for line in LINES]
        os.kill(children(process)[0], signal.SIGKILL)
        assert [one.result() for one in asked] == [alone[line] for line in LINES]
        before = children(process)
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 60
        while set(children(process)) & set(before) and time.monotonic() < until:
            assert ask(LINES[3]) == alone[LINES[3]]
        assert not set(children(process)) & set(before)


def test_keys_and_logs_without_text(tmp_path):
    keys = tmp_path / "keys"
    key = new_key(keys, "me")
    assert key not in keys.read_text()
    process, address = start(str(TRAINED / "rnnsearch"), "--workers", "1", "--keys", str(keys))
    with httpx.Client(base_url=address, timeout=60) as client:
        asked = {"q": LINES[0], "source": "en", "target": "fr"}
        assert client.post("/translate", json=asked).status_code == 401
        assert client.post("/translate", json=asked | {"api_key": key}).status_code == 200
        assert client.post("/translate", data=asked | {"api_key": key}).status_code == 200
        bearer = {"Authorization": f"Bearer {key}"}
        assert client.post("/v1/translate", json={"text": LINES[0]}, headers=bearer).status_code == 200
        assert client.get("/health").status_code == 200
    process.terminate()
    _, logged = process.communicate(timeout=30)
    entries = [json.loads(line) for line in logged.splitlines() if line.startswith("{")]
    assert [one["status"] for one in entries] == [401, 200, 200, 200]
    assert LINES[0] not in logged
    assert key not in logged


def test_texts_are_in_the_log_if_asked_for():
    process, address = start(str(TRAINED / "rnnsearch"), "--workers", "1", "--log-text")
    answer = httpx.post(f"{address}/v1/translate", json={"text": LINES[:2], "api_key": "hidden"}, timeout=60)
    process.terminate()
    _, logged = process.communicate(timeout=30)
    entries = [json.loads(line) for line in logged.splitlines() if line.startswith("{")]
    assert {"id": answer.headers["x-request-id"], "texts": LINES[:2]} in entries
    assert "hidden" not in logged
