"""`jumok studio` from the shell: an address, a server behind it, an end, and sentences where it cannot start."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from jumok.asgi.hosts import listen
from jumok.cli import studio as command
from jumok.errors import ConfigError, RunError
from jumok.studio.server import PORT, address
from jumok.studio.studio import Studio
from tests.studio.conftest import TRAINED


def test_it_prints_an_address_serves_and_ends(folders, tmp_path):
    start = [sys.executable, "-m", "jumok", "studio", str(folders[TRAINED[0]]), "--no-open", "--lang", "ko"]
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert process.stdout is not None
        where = process.stdout.readline().strip()
        assert where.startswith("http://127.0.0.1:")
        assert where.endswith("/?lang=ko")
        with urlopen(where.partition("?")[0] + "api/v1/runs", timeout=300) as answer:
            assert json.load(answer)["runs"][0]["id"] == TRAINED[0]
        process.send_signal(signal.SIGTERM)
        _, talk = process.communicate(timeout=300)
        assert "Traceback" not in talk
    finally:
        if process.poll() is None:
            process.kill()


def test_what_cannot_be_served_is_said_in_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(RunError, match="There is no run folder"):
        command.checked(tmp_path / "nothing")
    with pytest.raises(RunError, match="not a run folder"):
        command.checked(tmp_path)
    with pytest.raises(ConfigError, match="ko and en"):
        command.studio([], lang="fr")
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"jumok\[studio\]"):
        command.studio([])


@pytest.mark.parametrize("reason", ["time", "SIGTERM", None])
def test_a_trained_demo_is_used_and_another_is_trained(folders, tmp_path, monkeypatch, capsys, reason):
    monkeypatch.setattr(command, "HOME", tmp_path)
    opened = Studio([], tmp_path)
    started: list[str] = []
    monkeypatch.setattr(opened.tour, "train_demo", lambda: started.append("demo"))
    if reason is not None:
        shutil.copytree(folders[TRAINED[0]], tmp_path / "demo")
        line = {"step": 30, "event": "stopped", "reason": reason}
        (tmp_path / "demo" / "timing.jsonl").write_text(json.dumps(line) + "\n")
    command.use_demo(opened)
    assert started == ([] if reason == "time" else ["demo"])
    assert [run.id for run in opened.runs.all()] == ([] if reason is None else ["demo"])
    assert ("being trained" in capsys.readouterr().err) == bool(started)
    opened.close()


def test_a_taken_port_is_said_and_the_usual_one_gives_way():
    taken = listen("127.0.0.1", [PORT, 0], "The studio")
    try:
        with pytest.raises(ConfigError, match="cannot listen"):
            listen("127.0.0.1", [taken.getsockname()[1]], "The studio")
        other = listen("127.0.0.1", [PORT, 0], "The studio")
        assert other.getsockname()[1] != taken.getsockname()[1]
        other.close()
    finally:
        taken.close()


def test_addresses():
    assert address("127.0.0.1", 81, None, None) == "http://127.0.0.1:81/"
    assert address("0.0.0.0", 81, "t", "en") == "http://127.0.0.1:81/?token=t&lang=en"
    assert address("::1", 81, None, None) == "http://[::1]:81/"


def test_the_page_is_served_where_it_has_been_built(folders, tmp_path):
    import httpx

    from jumok.studio.studio import Studio
    from tests.studio.conftest import start

    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "app.js").write_text("1")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "page.css").write_text("")
    server, thread, access = start(Studio([], Path(tmp_path)), static=tmp_path)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{access.port}") as client:
            assert "<title>page" in client.get("/").text
            assert "javascript" in client.get("/app.js").headers["content-type"]
            assert client.get("/app.js").headers["x-content-type-options"] == "nosniff"
            assert "css" in client.get("/assets/page.css").headers["content-type"]
            assert client.get("/api/v1/translate").json()["error"]["code"] == "method"
            assert client.get("/assets/../app.py").status_code == 404
            assert client.get("/other.js").json()["error"]["code"] == "not_found"
    finally:
        server.should_exit = True
        thread.join(10)
