"""Only the studio's own page may ask; nothing else is let in, and nothing of the outside is let out."""

import socket

import httpx
import pytest

from jumok.fonts import FILE
from jumok.studio.security import BODY_LIMIT, COOKIE, AccessPolicy, is_loopback, split_host
from jumok.studio.studio import Studio
from tests.studio.conftest import TRAINED, start


def refused(answer, status=403, code="forbidden"):
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "127.0.0.1:1",
        "",
        "[::2]",
        "127.0.0.1@evil",
    ],
)
def test_a_foreign_host_is_refused(served, host):
    refused(served.client.get("/api/v1/runs", headers={"host": host}))
    refused(served.client.get("/", headers={"host": host}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_our_own_hosts_are_answered(served, host):
    assert served.client.get("/api/v1/jobs", headers={"host": f"{host}:{served.port}"}).status_code == 200


def test_two_hosts_or_none_are_refused(served):
    for lines in ("Host: 127.0.0.1:{port}\r\nHost: evil.example", "X: y"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=300) as wire:
            request = f"GET /api/v1/runs HTTP/1.1\r\n{lines.format(port=served.port)}\r\nConnection: close\r\n\r\n"
            wire.sendall(request.encode())
            first = wire.recv(4000).split(b"\r\n")[0]
        assert b" 403 " in first or b" 400 " in first


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_post_from_another_page_is_refused(served, origin):
    body = {"x": [1], "y": [1]}
    refused(served.client.post("/api/v1/kernel", json=body, headers={"origin": origin}))
    assert served.client.post("/api/v1/kernel", json=body, headers={"origin": served.url}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_marks_as_foreign_is_refused(served, site):
    refused(served.client.get("/api/v1/runs", headers={"sec-fetch-site": site}))
    refused(served.client.post("/api/v1/kernel", json={"x": [1], "y": [1]}, headers={"sec-fetch-site": site}))
    opened = served.client.get("/", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"})
    assert opened.status_code == 200  # a link to the page itself may be followed


def test_a_form_cannot_post(served):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = served.client.post("/api/v1/kernel", content=b'{"x":[1],"y":[1]}', headers={"content-type": kind})
        refused(answer, 415, "json_needed")


def test_every_answer_carries_the_safety_headers_and_none_allows_another_site(served):
    answers = [
        served.client.get("/"),
        served.client.get("/api/v1/runs"),
        served.client.get("/nothing"),
        served.client.get("/api/v1/runs", headers={"host": "evil.example"}),
        served.client.post("/api/v1/kernel", json={}),
        served.client.options("/api/v1/kernel", headers={"access-control-request-method": "POST"}),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert "server" not in answer.headers


def test_the_hangul_font_is_served_by_the_studio_itself(served):
    answer = served.client.get("/hangul.ttf")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "font/ttf"
    assert answer.content == FILE.read_bytes()
    assert "font-src 'self'" in served.client.get("/").headers["content-security-policy"]


def test_a_get_changes_nothing(served):
    before = served.client.get("/api/v1/jobs").json()
    for path in ("jobs/x/cancel", "export", "whatif"):
        assert served.client.get(f"/api/v1/{path}").status_code == 405
    assert served.client.get("/api/v1/jobs").json() == before


@pytest.mark.parametrize(
    "name", ["../golden", "..", "/etc/passwd", "a/b", "a\\b", "%2e%2e", "A", "", "x" * 200, "<script>", "run%00", "런"]
)
def test_a_run_is_an_id_and_never_a_path(served, name):
    answer = served.post("translate", run=name, text="a")
    assert answer.status_code in (404, 413, 422)
    assert "root:" not in answer.text
    path = served.client.get(f"/api/v1/runs/{name}/metrics" if name else "/api/v1/runs//metrics")
    assert path.status_code in (404, 413, 422)


@pytest.mark.parametrize(
    "path", ["/../conftest.py", "/%2e%2e/app.py", "/..%2fapp.py", "/static/../../app.py", "//etc/passwd"]
)
def test_files_beside_the_page_are_not_served(served, path):
    with socket.create_connection(("127.0.0.1", served.port), timeout=300) as wire:
        wire.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n\r\n".encode())
        answer = wire.recv(10_000)
    assert b" 404 " in answer.split(b"\r\n")[0]


def test_a_body_too_large_is_refused_before_it_is_read(served):
    json_kind = {"content-type": "application/json"}
    refused(served.client.post("/api/v1/kernel", content=b" " * (BODY_LIMIT + 1), headers=json_kind), 413, "too_large")
    parts = (b" " * 100_000 for _ in range(BODY_LIMIT // 100_000 + 2))
    refused(served.client.post("/api/v1/kernel", content=parts, headers=json_kind), 413, "too_large")


@pytest.mark.parametrize(
    "body", [b"", b"[", b"[" * 100_000, b'{"x": NaN}', b"\xff\xfe", b'{"run": "\\ud800"}', b"null"]
)
def test_broken_bodies_are_refused_politely(served, body):
    answer = served.client.post("/api/v1/translate", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["version"] == 1


def test_beyond_this_machine_a_token_is_asked_for(folders, tmp_path):
    studio = Studio([folders[TRAINED[0]]], tmp_path)
    server, thread, access = start(studio, "0.0.0.0")
    assert access.token
    url = f"http://127.0.0.1:{access.port}"
    try:
        with httpx.Client(base_url=url) as client:
            refused(client.get("/api/v1/runs"), 401, "token_needed")
            refused(client.get("/?token=wrong"), 401, "token_needed")
            refused(client.get(f"/api/v1/runs?token={access.token}"), 401, "token_needed")
            bearer = {"authorization": f"Bearer {access.token}"}
            assert client.get("/api/v1/runs", headers=bearer).status_code == 200
            refused(client.get("/api/v1/runs", headers={**bearer, "host": "evil.example"}))
            entered = client.get(f"/?token={access.token}&lang=ko")
            assert (entered.status_code, entered.headers["location"]) == (303, "/?lang=ko")
            assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
            assert client.get("/api/v1/runs").status_code == 200  # with the cookie
            assert COOKIE in client.cookies
    finally:
        server.should_exit = True
        thread.join(10)


def test_loopback_and_hosts_are_told_apart():
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert AccessPolicy.for_host("127.0.0.1", 80).token is None
    assert split_host("[::1]:80") == ("::1", 80)
    assert split_host("localhost:99999999") == ("", None)
