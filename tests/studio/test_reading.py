"""What the page is shown is what the model does: the same as `jumok.load(...)`, token by token."""

import numpy as np
import pytest

from jumok import load
from jumok.alignment import Links, score_alignment
from jumok.studio.payload import MAX_WORDS
from tests.decoding.tiny_run import in_float64
from tests.studio.conftest import ATTENDING, KINDS, TRAINED


def as_array(matrix):
    return np.array(matrix["data"], dtype=float).reshape(matrix["shape"])


@pytest.mark.parametrize("run", [*TRAINED, *KINDS])
def test_a_translation_is_the_translators_own(served, folders, example, run):
    answer = served.ask("translate", run=run, text=example.source, beam=4)
    reading = answer["reading"]
    own = in_float64(load(folders[run])).translate(example.source, beam=4, attention=True)
    assert reading["target"]["text"] == own.text
    assert reading["score"] == pytest.approx(own.score, abs=1e-4)
    assert reading["log_prob"] == pytest.approx(own.log_prob, abs=1e-4)
    assert [step["log_prob"] for step in reading["steps"]] == pytest.approx(own.token_log_probs, abs=1e-4)
    assert [token["text"] for token in reading["source"]["tokens"][:-1]] == list(own.source_tokens)
    for kind in ("encoder", "decoder", "cross"):
        mine, theirs = reading["attention"][kind], getattr(own.attention, kind)
        assert len(mine) == len(theirs)
        for layer, weights in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(as_array(layer), weights, atol=2e-5)
    if own.weights is None:
        assert reading["alignment"] is None
        assert "no_attention" in [note["code"] for note in reading["notes"]]
    else:
        np.testing.assert_allclose(as_array(reading["alignment"]["weights"]), own.weights, atol=2e-5)
        assert [tuple(link) for link in reading["alignment"]["links"]] == own.alignment


def test_the_beams_path_spells_the_translation_and_any_node_can_be_read(served, example):
    answer = served.ask("translate", run=TRAINED[0], text=example.source, beam=4)
    beam, reading = answer["beam"], answer["reading"]
    nodes = {node["id"]: node for node in beam["nodes"]}
    assert [nodes[n]["token"] for n in beam["path"][1:]] == [token["id"] for token in reading["target"]["tokens"]]
    assert nodes[beam["best"]]["log_prob"] == pytest.approx(reading["log_prob"], abs=1e-4)
    pruned = max((n for n in beam["nodes"] if n["state"] == "pruned" and n["token"] != 3), key=lambda n: n["step"])
    ids, node = [], pruned
    while node["parent"] >= 0:
        ids.insert(0, node["token"])
        node = nodes[node["parent"]]
    read = served.ask("translate", run=TRAINED[0], text=example.source, target_ids=ids)["reading"]
    written = sum(step["log_prob"] for step in read["steps"][: len(ids)])
    assert written == pytest.approx(pruned["log_prob"], abs=1e-4)


def test_distributions_are_distributions(served, example):
    reading = served.ask("translate", run=TRAINED[1], text=example.source)["reading"]
    for token, step in zip(reading["target"]["tokens"], reading["steps"], strict=True):
        probabilities = [np.exp(word["log_prob"]) for word in step["top"]]
        assert probabilities == sorted(probabilities, reverse=True)
        assert sum(probabilities) <= 1 + 1e-4
        assert step["entropy"] >= 0
        if step["rank"] < len(step["top"]):
            assert step["top"][step["rank"]]["id"] == token["id"]
    for kind in ("encoder", "decoder", "cross"):
        for layer in reading["attention"][kind]:
            np.testing.assert_allclose(as_array(layer).sum(-1), 1.0, atol=1e-3)


def test_gold_links_come_with_phrasebook_sentences(served, folders, example):
    gold = served.ask("translate", run=TRAINED[0], text=example.source, target=example.target)["gold"]
    assert gold["applies"]
    assert gold["reference"] == example.target
    assert [tuple(link) for link in gold["links"]] == sorted(example.links)
    aligned = in_float64(load(folders[TRAINED[0]])).align([(example.source, example.target)])[0]
    expected = score_alignment(aligned.links, Links(frozenset(example.links)))
    assert gold["score"]["aer"] == pytest.approx(expected.aer, abs=1e-5)
    assert served.ask("translate", run=TRAINED[0], text="Nobody ever wrote this.")["gold"] is None


def test_a_very_long_sentence_is_cut_to_the_stated_limit(served):
    answer = served.ask("translate", run=TRAINED[1], text="the book " * 250, beam=1)
    reading = answer["reading"]
    assert len(reading["source"]["words"]) <= MAX_WORDS
    assert "source_cut" in [note["code"] for note in reading["notes"]]
    refused = served.post("translate", run=TRAINED[1], text="x" * 20_001)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


def test_maps_that_are_too_large_are_left_out_and_said_so(served, example, monkeypatch):
    monkeypatch.setattr("jumok.studio.reading.MAP_NUMBERS", 400)
    reading = served.ask("translate", run=TRAINED[1], text=example.source)["reading"]
    assert "encoder" in reading["attention"]["omitted"]
    assert reading["attention"]["encoder"] == []
    assert "maps_omitted" in [note["code"] for note in reading["notes"]]


def test_text_is_composed_and_never_broken(served):
    decomposed = "군인".encode().decode() + " " + "é"
    reading = served.ask("translate", run=TRAINED[0], text=decomposed)["reading"]
    assert reading["source"]["text"] == "군인 é"


def test_runs_are_compared_on_one_target(served, example):
    runs = [{"run": "none"}, {"run": TRAINED[0]}, {"run": TRAINED[1]}]
    answer = served.ask("compare", runs=runs, text=example.source)
    assert (answer["target"], answer["target_from"]) == (example.target, "reference")
    none, first, second = answer["runs"]
    assert none["common"] is None
    assert none["difference"] is None
    assert not np.any(as_array(first["difference"]))
    expected = as_array(second["common"]["weights"]) - as_array(first["common"]["weights"])
    np.testing.assert_allclose(as_array(second["difference"]), expected, atol=2e-5)
    assert expected.shape == (len(answer["target_words"]), len(answer["source_words"]))
    for run in (first, second):
        own = in_float64(load(served.studio.runs.get(run["run"]["id"]).folder))
        score = own.score([(example.source, example.target)])[0]
        assert run["common_log_prob"] == pytest.approx(score.log_prob, abs=1e-4)
        assert run["score"]["aer"] <= 1


@pytest.mark.parametrize("run", ATTENDING)
def test_a_source_of_one_word_works(served, run):
    reading = served.ask("translate", run=run, text="the", beam=2)["reading"]
    assert reading["attention"]["cross"][0]["shape"][-1] == len(reading["source"]["tokens"])
