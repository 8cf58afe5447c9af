"""Work is bounded, ends with its client, and says what it cut; edits that contradict each other are refused."""

import shutil
import socket
import threading
import time

import httpx
import pytest

from jumok.asgi.cancelling import current_flag
from jumok.inspect import what_if
from jumok.studio.payload import MAX_TARGET_TOKENS
from jumok.studio.studio import WORKERS, Studio
from tests.decoding.tiny_run import make_run
from tests.studio.conftest import TRAINED, start

LONG = " ".join(["livre"] * 300)


def refusal(answer):
    """Status and code of an error."""
    return answer.status_code, answer.json()["error"]["code"]


def codes(notes):
    """The codes of notes."""
    return [note["code"] for note in notes]


# ---------------------------------------------------------------- limits


def test_a_prefix_of_text_has_the_limit_of_a_prefix_of_tokens(served, example):
    for text in (LONG, "x" * 19_000):
        answer = served.post(
            "whatif", run=TRAINED[0], text=example.source, edits=[{"kind": "prefix", "text": text}], beam=1
        )
        assert refusal(answer) == (413, "too_large")
        assert str(MAX_TARGET_TOKENS) in answer.json()["error"]["message"]
    ids = {"kind": "prefix", "tokens": [7] * (MAX_TARGET_TOKENS + 1)}
    assert refusal(served.post("whatif", run=TRAINED[0], text=example.source, edits=[ids])) == (413, "too_large")


def test_a_target_that_is_cut_is_told_everywhere(served, example):
    run, text = TRAINED[0], example.source
    teacher = [{"kind": "teacher_forcing", "reference": LONG}]
    reading = served.ask("translate", run=run, text=text, target=LONG)["reading"]
    forced = served.ask("whatif", run=run, text=text, edits=teacher, beam=1)
    for notes in (
        reading["notes"],
        forced["edited"]["notes"],
        forced["forced"]["notes"],
        served.ask("effects", run=run, text=text, target=LONG)["notes"],
        served.ask("compare", runs=[{"run": run}, {"run": "none"}], text=text, target=LONG, beam=1)["notes"],
        served.ask("learn", run=run, text=text, target=LONG)["notes"],
    ):
        assert "given_target_cut" in codes(notes)
        note = next(note for note in notes if note["code"] == "given_target_cut")
        assert 0 < note["count"] <= MAX_TARGET_TOKENS
        assert "300 words" in note["message"]
    assert len(reading["target"]["tokens"]) == MAX_TARGET_TOKENS + 1
    short = served.ask("translate", run=run, text=text, target=example.target)["reading"]
    assert "given_target_cut" not in codes(short["notes"])


def test_a_source_that_is_cut_is_told_everywhere(served):
    run, text = TRAINED[0], " ".join(["book"] * 90)
    assert "source_cut" in codes(served.ask("effects", run=run, text=text, target="livre")["notes"])
    assert "source_cut" in codes(served.ask("learn", run=run, text=text, target="livre")["notes"])
    runs = [{"run": run}, {"run": "none"}]
    assert "source_cut" in codes(served.ask("compare", runs=runs, text=text, beam=1, target="livre")["notes"])


def test_a_model_with_few_positions_takes_no_longer_target(tmp_path):
    overrides = ("model.preset=transformer", "model.encoder.positions=learned", "model.decoder.positions=learned")
    limits = ("model.decoder.max_positions=16", "data.max_length=11")
    studio = Studio([make_run(tmp_path / "few", *overrides, *limits)], tmp_path)
    server, thread, access = start(studio)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{access.port}/api/v1/", timeout=60) as client:
            body = {"run": "few", "text": "The teacher reads a book."}
            cut = client.post("translate", json={**body, "target": LONG})
            assert cut.status_code == 200, cut.text
            assert "given_target_cut" in codes(cut.json()["reading"]["notes"])
            assert refusal(client.post("translate", json={**body, "target_ids": [7] * 40})) == (413, "too_large")
            prefix = {**body, "edits": [{"kind": "prefix", "tokens": [7] * 40}]}
            assert refusal(client.post("whatif", json=prefix)) == (413, "too_large")
    finally:
        server.should_exit = True
        thread.join(10)


# ---------------------------------------------------------------- clients that leave


@pytest.fixture
def steps(monkeypatch):
    """A list that grows with every step of a model; the second step lasts until its work is cancelled."""
    made: list[int] = []
    step = what_if.EditedModel.step

    def held(self, *args, **kwargs):
        answer = step(self, *args, **kwargs)
        made.append(len(made))
        if len(made) == 2:
            current_flag().wait(30)
        return answer

    monkeypatch.setattr(what_if.EditedModel, "step", held)
    return made


def wait_until(condition):
    """Waits for something that another thread does."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def send(served, path, body):
    """A socket on which a request was sent."""
    content = httpx.Request("POST", "http://x", json=body).content
    head = f"POST /api/v1/{path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
    client = socket.create_connection(("127.0.0.1", served.port))
    client.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
    return client


RUN = {"run": TRAINED[0], "text": "The teacher reads a book."}
LEFT = {
    "translate": ("translate", {**RUN, "beam": 5}),
    "whatif": ("whatif", {**RUN, "edits": [{"kind": "prefix", "tokens": [7] * 100}]}),
    "effects": ("effects", {**RUN, "beam": 5}),
    "compare": ("compare", {"runs": [{"run": TRAINED[0]}, {"run": TRAINED[1]}], "text": RUN["text"], "beam": 5}),
    "learn": ("learn", {**RUN, "target": "Le livre."}),
    "step": ("step", {**RUN, "prefix": [7] * 100}),
}


@pytest.mark.parametrize("view", LEFT)
def test_work_ends_when_its_client_has_left(served, steps, view):
    with send(served, *LEFT[view]):
        wait_until(lambda: len(steps) == 2)
    wait_until(lambda: not served.studio._under_way)
    assert len(steps) == 2


def test_a_request_that_waits_for_its_turn_is_dropped_with_its_client(served, steps):
    free = threading.Event()
    busy = [served.studio._pool.submit(free.wait, 60) for _ in range(WORKERS)]
    with send(served, *LEFT["step"]):
        wait_until(lambda: served.studio._under_way)
    assert served.studio._under_way[0].wait(30)
    free.set()
    wait_until(lambda: not served.studio._under_way)
    assert all(one.done() for one in busy)
    assert steps == []


def test_closing_the_studio_ends_its_work(folders, tmp_path, steps):
    studio = Studio([folders[TRAINED[0]]], tmp_path)
    server, thread, access = start(studio)
    address = f"http://127.0.0.1:{access.port}/api/v1/whatif"
    asking = threading.Thread(target=lambda: httpx.post(address, json=LEFT["whatif"][1], timeout=60))
    asking.start()
    wait_until(lambda: len(steps) == 2)
    studio.close()
    asking.join(60)
    assert len(steps) == 2
    server.should_exit = True
    thread.join(10)


# ---------------------------------------------------------------- contradictions


def weight(**keys):
    """An edit of one weight."""
    return {"kind": "weight", "at": 1, "source": 2, "value": 0.5, **keys}


CONTRADICTIONS = {
    "force": [{"kind": "force", "at": 1, "token": 7}, {"kind": "force", "at": 1, "token": 8}],
    "prefix and force": [{"kind": "prefix", "tokens": [7, 8]}, {"kind": "force", "at": 1, "token": 9}],
    "prefixes": [{"kind": "prefix", "tokens": [7, 8]}, {"kind": "prefix", "tokens": [7, 9]}],
    "blank": [{"kind": "blank", "word": 1, "how": "remove"}, {"kind": "blank", "word": 1, "how": "mask"}],
    "teachers": [{"kind": "teacher_forcing", "reference": "a"}, {"kind": "teacher_forcing", "reference": "b"}],
    "teacher and force": [{"kind": "teacher_forcing", "reference": "a"}, {"kind": "force", "at": 0, "token": 8}],
    "one weight": [weight(), weight(value=0.1)],
    "one weight by two names of its layer": [weight(layer=-1), weight(layer=1, value=0.1)],
    "one head's weight, then all heads'": [weight(head=1), weight(value=0.1)],
    "a weight of a removed word": [weight(source=0), {"kind": "blank", "word": 0}],
    "a weight of a hidden word": [{"kind": "blank", "word": 0, "how": "mask"}, weight(source=0)],
}


@pytest.mark.parametrize("edits", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_edits_that_contradict_each_other_are_refused(served, example, edits):
    answer = served.post("whatif", run=TRAINED[1], text=example.source, edits=edits, beam=1)
    assert refusal(answer) == (422, "invalid")
    assert len(answer.json()["error"]["message"].split()) > 6


def test_a_row_and_a_weight_are_set_in_that_order_only(served, example):
    width = len(served.ask("translate", run="luong", text=example.source, beam=1)["reading"]["source"]["tokens"])
    row = {"kind": "weights", "at": 1, "values": [1 / width] * width}
    answer = served.ask("whatif", run="luong", text=example.source, edits=[row, weight()], beam=1)
    *_, columns = answer["edited"]["attention"]["cross"][0]["shape"]
    data = answer["edited"]["attention"]["cross"][0]["data"]
    assert data[columns + 2] == pytest.approx(0.5)
    assert data[columns + 1] == pytest.approx(0.5 / (width - 1), abs=1e-4)
    for pair in ([weight(), row], [row, row]):
        assert refusal(served.post("whatif", run="luong", text=example.source, edits=pair, beam=1)) == (422, "invalid")


def test_weights_of_all_heads_can_be_refined_for_one(served, example):
    edits = [weight(layer=1), weight(layer=1, head=1, value=0.1)]
    answer = served.ask("whatif", run=TRAINED[1], text=example.source, edits=edits, beam=1)
    heads, steps, columns = answer["edited"]["attention"]["cross"][1]["shape"]
    data = answer["edited"]["attention"]["cross"][1]["data"]
    values = [data[(head * steps + 1) * columns + 2] for head in range(heads)]
    assert values == pytest.approx([0.1 if head == 1 else 0.5 for head in range(heads)])


# ---------------------------------------------------------------- teacher forcing


def test_teacher_forcing_tells_the_text_as_it_is_and_under_the_edits(served, example):
    teacher = {"kind": "teacher_forcing", "reference": example.target}
    plain = served.ask("whatif", run="luong", text=example.source, edits=[teacher], beam=1)
    assert plain["forced"] == plain["edited"]
    assert plain["change_of_edited"] == 0
    moved = served.ask("whatif", run="luong", text=example.source, edits=[teacher, weight(value=1.0)], beam=1)
    assert moved["forced"] == plain["forced"]
    assert moved["edited"]["target"]["tokens"] == plain["forced"]["target"]["tokens"]
    difference = moved["edited"]["log_prob"] - moved["forced"]["log_prob"]
    assert moved["change_of_edited"] == pytest.approx(difference, abs=1e-5)
    assert difference != 0
    last = len(plain["forced"]["target"]["tokens"]) - 1
    served.ask("whatif", run="luong", text=example.source, edits=[teacher, weight(at=last)], beam=1)
    assert served.ask("whatif", run="luong", text=example.source, edits=[weight()], beam=1)["forced"] is None


# ---------------------------------------------------------------- runs that are gone


@pytest.fixture
def vanishing(folders, tmp_path):
    """A studio over a copy of a run, and the folder of that copy."""
    folder = tmp_path / "mine"
    shutil.copytree(folders[TRAINED[0]], folder)
    server, thread, access = start(Studio([folder], tmp_path))
    with httpx.Client(base_url=f"http://127.0.0.1:{access.port}/api/v1/", timeout=60) as client:
        yield client, folder
    server.should_exit = True
    thread.join(10)


def test_a_run_that_was_deleted_is_said_to_be_gone(vanishing):
    client, folder = vanishing
    body = {"run": "mine", "text": "The teacher reads a book."}
    assert client.post("translate", json=body).status_code == 200
    shutil.rmtree(folder)
    asked = [
        client.post("translate", json=body),
        client.post("translate", json={**body, "step": 3}),
        client.post("learn", json=body),
        client.post("learn", json={**body, "steps": [3]}),
        client.get("runs/mine/metrics"),
    ]
    for answer in asked:
        assert refusal(answer) == (410, "gone")
        assert "was deleted or moved" in answer.json()["error"]["message"]
    told = client.get("runs").json()["runs"][0]
    assert (told["state"], told["live"]) == ("gone", False)
    assert "was deleted or moved" in told["message"]


def test_a_run_whose_weights_were_deleted_is_not_waited_for(vanishing):
    client, folder = vanishing
    (folder / "model.safetensors").unlink()
    answer = client.post("translate", json={"run": "mine", "text": "The teacher reads a book."})
    assert refusal(answer) == (409, "not_ready")
    assert "model.safetensors is missing" in answer.json()["error"]["message"]


def test_a_run_put_back_is_there_again(vanishing):
    client, folder = vanishing
    away = folder.rename(folder.with_name("away"))
    body = {"run": "mine", "text": "The teacher reads a book."}
    assert refusal(client.post("translate", json=body)) == (410, "gone")
    away.rename(folder)
    assert client.post("translate", json=body).status_code == 200
