"""A thousand texts that nobody means well with: each gets a translation or a clear refusal, the same as alone."""

import json
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from jumok.asgi.messages import Headers
from jumok.server.guard import given_key
from jumok.server.problems import RefusedError
from jumok.server.routes import read_request
from tests.server.process import LINES

BIDI = "\u202e\u202d\u2066\u2067\u2069\u200f\u061c"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
CONTROL = "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029"
MARKUP = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b><i>", "</b></i></p>", "<!--", "<![CDATA[", "<?php",
    "<" * 40, "&lt;&#x0;&amp", "<a href='", "<svg/onload=alert(1)>", "<b translate=no>x</b>", "{{7*7}}", "${jndi:x}",
    "%s%n",
]  # fmt: skip
OTHER = [
    "\U0001f469\u200d\U0001f467",
    "ﷺ",
    "A\u0301" * 30,
    "\U000e0041",
    "\uffff",
    "\ufdd0",
    "'; DROP TABLE x; --",
    "../" * 9,
]
REPEATED = "a가Aß. \u0301<{\n0"


def hostile(seed: int) -> dict[str, object]:
    """A request drawn from a seed."""
    draw = random.Random(seed)
    kind = seed % 7
    line = draw.choice(LINES)
    if kind == 0:
        text = "".join(one + (draw.choice(BIDI) if draw.random() < 0.4 else "") for one in line)
    elif kind == 1:
        text = "".join(one + (draw.choice(INVISIBLE) if draw.random() < 0.4 else "") for one in line)
    elif kind == 2:
        text = "".join(one + (draw.choice(CONTROL) if draw.random() < 0.3 else "") for one in line)
    elif kind == 3:
        text = "".join(draw.choice([*MARKUP, line]) for _ in range(4))
    elif kind == 4:
        text = draw.choice(REPEATED) * draw.choice([1, 700, 1500])
    elif kind == 5:
        text = " ".join(draw.choice([*OTHER, *line.split()]) for _ in range(5))
    else:
        text = "".join(
            chr(draw.choice([draw.randrange(0x20, 0xD800), draw.randrange(0xE000, 0x110000)])) for _ in range(9)
        )
    return {"text": text, "format": "html" if kind == 3 or seed % 2 else "text", "beam": 2}


def test_a_thousand_hostile_texts_get_what_each_gets_alone(served):
    _, client, _ = served

    def ask(seed: int) -> tuple[int, object]:
        answer = client.post("/v1/translate", json=hostile(seed))
        tree = answer.json()
        return answer.status_code, tree["translations"] if answer.status_code == 200 else tree["error"]["message"]

    with ThreadPoolExecutor(16) as pool:
        together = list(pool.map(ask, range(1000)))
    assert {status for status, _ in together} <= {200, 422}
    assert sum(status == 200 for status, _ in together) > 950
    drawn = random.Random(7).sample(
        range(1000), 150
    )  # each of a kind that batches may change, a part of them to be quick
    assert [ask(seed) for seed in drawn] == [together[seed] for seed in drawn]


def test_scripts_stay_what_they_were_and_no_markup_is_made_of_text(served):
    _, client, _ = served
    for text in (line.split()[0] + " &lt;script&gt; " + line for line in LINES[:3]):
        found = client.post("/v1/translate", json={"text": text, "format": "html"}).json()["translations"][0]["text"]
        assert "<" not in found


def test_what_is_too_large_or_not_text_is_refused_with_its_reason(served):
    _, client, _ = served
    refused = {
        b'{"text": "%s"}' % (b"a" * 1_000_000): 413,
        b'{"text": "\\ud800"}': 400,
        b'{"text": "a", "keep": ["\\udfff"]}': 400,
        b'{"text": "a", "glossary": {"\\ud800": "x"}}': 400,
        b'{"\\ud800": 1}': 400,
        b'{"text": "a", "run": "\\ud800"}': 400,
        b'{"text": "%s"}' % (b"a\\n" * 9000): 413,
        b"[" * 100_000: 400,
        b'{"text": 1e999}': 422,
        b'["a"]': 422,
        b'{"text": [%s1]}' % (b"1," * 900_000): 413,  # an error for each of them would take half a minute
        b'{"text": "a", "glossary": {%s"a": 1}}' % b"".join(b'"%d":1,' % number for number in range(100_000)): 413,
        b'{%s"text": "a"}' % b"".join(b'"%d":1,' % number for number in range(100_000)): 413,
        b"\xff\xfe": 400,
    }
    for body, status in refused.items():
        answer = client.post("/v1/translate", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, bool(answer.json()["error"]["message"])) == (status, True), body[:40]
    foreign = {
        b'{"q": "\\ud800", "source": "auto", "target": "fr"}': 422,
        b'{"q": "a", "source": "\\ud800", "target": "fr"}': 400,
        b'{"q": "a", "source": "en", "target": "fr", "alternatives": "\xc2\xb2"}': 400,
    }
    for body, status in foreign.items():
        assert client.post("/translate", content=body).status_code == status
    assert client.post("/translator/translate", content=b'[{"src": "a", "id": 1e999}]').status_code == 400
    assert client.post("/translator/translate", content=b"[%s1]" % (b"1," * 900_000)).status_code == 413


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": None}, "'text': Input should be a valid string."),
        ({"text": ["a", 3]}, "'text.1': Input should be a valid string."),
        ({"text": "a", "keep": ["a", ""]}, "'keep.1': String should have at least 1 character."),
        ({"text": "a", "glossary": {"a": 1}}, "'glossary.a': Input should be a valid string."),
    ],
)
def test_an_error_names_the_field_as_the_client_wrote_it(body, message):
    with pytest.raises(RefusedError) as refused:
        read_request(json.dumps(body).encode())
    assert str(refused.value) == message


def test_forms_are_counted_before_they_are_read_for_a_key():
    assert given_key(Headers([]), b"", b"q=a&api_key=k") == "k"
    assert given_key(Headers([]), b"api_key=k", b'[{"src": "%s"}]' % (b"&" * 2000)) == "k"
    with pytest.raises(RefusedError, match="1000 fields"):
        given_key(Headers([]), b"", b"a&" * 1000)


def test_what_is_kept_of_white_space_is_nothing(served):
    _, client, _ = served
    plain = client.post("/v1/translate", json={"text": LINES[0]}).json()
    assert client.post("/v1/translate", json={"text": LINES[0], "keep": [" ", "\u3000"]}).json() == plain


def test_texts_made_to_be_slow_do_not_hold_others_up(served):
    _, client, address = served
    slow = {
        "comments": {"text": ["<!--" * 5000 + "<?" * 10 + "x"] * 20, "format": "html"},
        "marks": {"text": ["<!" * 9000] * 20, "format": "html"},
        "addresses": {"text": ["a" * 990 + "\n"] * 40},
        "kept": {"text": ["a " * 490 + "\n"] * 10, "keep": ["a", *map(str, range(190))]},
        "tags": {"text": ["<b>" * 2000 + "a"] * 4, "format": "html"},
    }
    host, port = address.removeprefix("http://").split(":")
    for body in slow.values():
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(client.post, "/v1/translate", json=body | {"beam": 1})
            longest = 0.0
            while not asked.done():
                start = time.monotonic()
                with socket.create_connection((host, int(port)), timeout=30) as one:
                    one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    assert b" 200 " in one.recv(100)
                longest = max(longest, time.monotonic() - start)
                time.sleep(0.01)
            assert asked.result().status_code in (200, 413)
        assert longest < 5
