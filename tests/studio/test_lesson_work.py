"""What lessons compute: averages, teacher forcing, schedules, paths and looks, over real models behind the socket."""

import math

import pytest
import torch

from jumok.attention.scope import LocalP
from jumok.evaluation.chances import word_chances
from jumok.shapes import UNK
from jumok.training.teacher_forcing import parse
from tests.studio.conftest import ATTENDING


def pair(example):
    return {"text": example.source, "target": example.target}


def test_chances_are_means_over_known_sentences(served):
    answer = served.ask("chances", runs=["rnnsearch-1"], sentences=60)
    (run,) = answer["runs"]
    assert 0 < answer["sentences"] <= 60
    assert sum(point["count"] for point in run["by_length"]) == sum(len(one["ids"][1]) + 1 for one in known(served))
    assert run["mean"] == pytest.approx(mean(served), abs=1e-4)
    weighed = sum(point["mean"] * point["count"] for point in run["by_length"])
    assert weighed / sum(point["count"] for point in run["by_length"]) == pytest.approx(run["mean"], abs=1e-4)
    lengths = [len(one["source"].split()) for one in answer["examples"]]
    assert lengths == sorted(set(lengths))


def known(served):
    """The test sentences whose words the golden run knows."""
    from jumok.data.phrasebook import generate

    session = served.session("rnnsearch-1")
    found = []
    for one in generate("en-fr", "test", 60):
        ids = session.run.source_tokenizer.encode(one.source), session.run.target_tokenizer.encode(one.target)
        if UNK not in ids[0] and UNK not in ids[1] and len(ids[0]) <= session.inspector.longest_source:
            found.append({"source": one.source, "target": one.target, "ids": ids})
    return found


def mean(served):
    rows = word_chances(served.session("rnnsearch-1").run.model, [one["ids"] for one in known(served)])
    every = [p for row in rows for p in row]
    return sum(every) / len(every)


def test_a_wrong_word_is_fed_in_only_when_running_freely(served, example):
    answer = served.ask("forcing", run="rnnsearch-1", **pair(example), at=1)
    target = [token["text"] for token in answer["target"]["tokens"]]
    assert answer["forced"]["heard"] == ["<s>", *target[:-1]]
    assert answer["free"]["heard"][:3] == ["<s>", target[0], answer["wrong"]["text"]]
    assert answer["wrong"]["text"] != target[1]
    read = served.ask("translate", run="rnnsearch-1", **pair(example))["reading"]
    assert answer["forced"]["right"] == pytest.approx([math.exp(step["log_prob"]) for step in read["steps"]], abs=1e-5)
    same = served.post("forcing", run="rnnsearch-1", **pair(example), at=1, wrong=answer["target"]["tokens"][1]["id"])
    assert same.status_code == 422
    assert served.post("forcing", run="rnnsearch-1", **pair(example), at=99).status_code == 422


@pytest.mark.parametrize(
    "schedule",
    ["always", "never", "0.7", "linear:1->0.25@300", "exponential:0.995", "inverse_sigmoid:60", "switch:120"],
)
def test_a_schedule_is_the_one_that_training_uses(served, schedule):
    answer = served.ask("schedule", schedule=schedule, steps=500, points=26)
    assert [step for step, _ in answer["points"]] == list(range(0, 501, 20))
    used = parse(schedule).probability
    assert [p for _, p in answer["points"]] == pytest.approx([used(step) for step in range(0, 501, 20)], abs=1e-6)


def test_an_unknown_schedule_is_refused_in_a_sentence(served):
    answer = served.post("schedule", schedule="lineer:1->0@10")
    assert answer.status_code == 422
    assert "linear" in answer.json()["error"]["message"]


@pytest.mark.parametrize("run", ["rnnsearch-1", "luong"])
def test_the_paths_of_a_gradient_add_up(served, example, run):
    served.session(run).run.model.double()  # a session that was closed for others opens in float32 again
    answer = served.ask("paths", run=run, **pair(example), at=1, wrong=0, rate=0.001)
    assert answer["gap"] < 1e-9
    assert answer["wrong"]["weights"][0] == pytest.approx(0.9, abs=1e-4)
    assert sum(answer["updated"]["weights"]) == pytest.approx(1, abs=1e-4)
    assert answer["updated"]["right"] > answer["wrong"]["right"]
    assert len(answer["through_weights"]) == len(answer["source"]["tokens"])
    still = served.ask("paths", run=run, **pair(example), at=1, wrong=0, rate=0)
    assert still["updated"] == still["wrong"]


def test_a_model_whose_paths_cannot_be_shown_says_so(served, example):
    for run in ("none", "transformer-1"):
        answer = served.post("paths", run=run, **pair(example))
        assert answer.status_code == 422
        assert "one layer of attention" in answer.json()["error"]["message"]


@pytest.mark.parametrize("run", ["rnnsearch-1", "local", "hard"])
def test_looks_are_the_weights_of_the_reading(served, example, run):
    answer = served.ask("looks", run=run, **pair(example))
    read = served.ask("translate", run=run, **pair(example))["reading"]
    shape = [len(answer["target"]["tokens"]), len(answer["source"]["tokens"])]
    assert answer["weights"]["shape"] == shape
    assert answer["weights"]["data"] == pytest.approx(read["attention"]["cross"][0]["data"], abs=1e-4)
    assert (answer["window"] is None) == (run != "local")
    assert (answer["drawn_from"] is None) == (run != "hard")


def test_a_hard_look_is_the_likeliest_of_its_draws(served, example):
    answer = served.ask("looks", run="hard", **pair(example))
    weights = torch.tensor(answer["weights"]["data"]).view(answer["weights"]["shape"])
    chances = torch.tensor(answer["drawn_from"]["data"]).view(answer["drawn_from"]["shape"])
    assert weights.sum(1).tolist() == [1.0] * len(weights)
    assert torch.equal(weights.argmax(1), chances.argmax(1))
    torch.testing.assert_close(chances.sum(1), torch.ones(len(chances)), atol=1e-4, rtol=0)


def test_a_local_look_has_its_window_and_gaussian(served, example):
    answer = served.ask("looks", run="local", **pair(example))
    window, size = answer["window"], len(answer["source"]["tokens"])
    (look,) = served.session("local").inspector.looks
    assert isinstance(look.scope, LocalP)
    assert (window["half"], window["sigma"]) == (look.scope.D, look.scope.D / 2)
    gaussian = torch.tensor(window["gaussian"]["data"]).view(window["gaussian"]["shape"])
    weights = torch.tensor(answer["weights"]["data"]).view(gaussian.shape)
    for t, centre in enumerate(window["centres"]):
        assert 0 <= centre <= size
        for i in range(size):
            inside = abs(i - centre) <= window["half"]
            expected = math.exp(-((i - centre) ** 2) / (2 * window["sigma"] ** 2)) if inside else 0.0
            assert float(gaussian[t, i]) == pytest.approx(expected, abs=1e-3)
            assert inside or float(weights[t, i]) == 0.0
    assert float(weights.sum(1).max()) <= 1.0


def test_looks_need_one_plain_attention(served, example):
    assert "heads" in ATTENDING
    assert served.post("looks", run="heads", **pair(example)).status_code == 422
