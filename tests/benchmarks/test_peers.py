"""The comparison with other toolkits: what fails is told, ratios are of one round, and every weight finds its place."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from jumok.engine.weights import load_parts
from tests.benchmarks.programs import load
from tests.decoding.tiny_run import make_run

engines, weights = load("peer_engines"), load("peer_weights")
training, toolkits, translation = load("peer_training"), load("peer_toolkits"), load("peer_translation")
TRANSFORMER = (
    "model.preset=transformer", "model.encoder.positions=sinusoidal", "model.decoder.positions=sinusoidal",
    "model.embedding=16", "model.encoder.size=16", "model.decoder.size=16",
)  # fmt: skip
POST = (*TRANSFORMER, "model.encoder.norm=post", "model.decoder.norm=post")


class FakeText:
    """As much of a text as counting operations needs."""

    size, ratio = 300, 1.0


def test_ratios_are_of_one_round_and_failures_are_told():
    speeds = {"ours": iter([300.0, 100.0]), "slow": iter([100.0, 100.0])}

    def breaks() -> float:
        raise ValueError("no such option")

    runs = {name: (lambda each=each: next(each)) for name, each in speeds.items()} | {"broken": breaks}
    found = training.compare(runs, 2, FakeText(), "rnn", 1)
    assert found["ratios"] == {"slow": [3.0, 1.0]}
    assert found["failed"] == {"broken": "no such option"}
    assert found["fastest_peer"] == "slow"
    assert len(found["share_of_bound"]) == 2
    json.dumps(found, allow_nan=False)


def test_a_toolkit_that_dies_is_not_measured(tmp_path):
    said = "print('10/ 100 tok/s\\n10/ 200 tok/s\\n10/ 300 tok/s')"
    command = [sys.executable, "-c", said]
    assert toolkits.reported(command, 1, r"\d+/\s*(\d+) tok/s", tmp_path) == [200.0, 300.0]
    with pytest.raises(ValueError, match="code 3"):
        toolkits.reported([sys.executable, "-c", f"{said}; raise SystemExit(3)"], 1, r"\d+/\s*(\d+) tok/s", tmp_path)


def row(system: str, bleu: float | None, per_second: list[float], latency: list[float]):
    return translation.Measured(system, "run", 5, bleu, per_second, latency)


def test_a_ratio_says_whether_the_quality_is_equal(capsys):
    rows = [
        row("jumok fast int8 + shortlist", 34.5, [300.0, 500.0], [1.0, 1.0]),
        row("CTranslate2 int8", 34.8, [100.0, 100.0], [2.0, 4.0]),
        row("OpenNMT-py", 35.0, [10.0, 10.0], [9.0, 9.0]),
        row("MarianMT, random weights", None, [10.0, 10.0], [9.0, 9.0]),
    ]
    found = translation.ratios(rows)
    assert [one["as_good"] for one in found] == [True, False, False]
    assert (found[0]["speed"], found[0]["least"], found[0]["most"], found[0]["latency"]) == (4.0, 3.0, 5.0, 3.0)
    result = {"lines": 3, "systems": [one.as_dict() for one in rows], "ratios": found, "missing": {"x": "it is not"}}
    translation.show(json.loads(json.dumps(result | {"cold_start_seconds": {}, "growth": []}, allow_nan=False)))
    told = capsys.readouterr().out
    assert told.count("not of equal quality") == 2
    assert "x was not measured: it is not" in told


def test_runs_bring_their_languages_and_case(tmp_path):
    assert translation.text_of(None) == (("en", "de"), False)
    told = {"data": {"source_language": "de", "target_language": "en"}, "text": {"lowercase": True}}
    (tmp_path / "config.json").write_text(json.dumps(told))
    assert translation.text_of(tmp_path) == (("de", "en"), True)
    assert translation.bleu(["ein hund läuft hier"], ["Ein Hund läuft hier"], lowercase=True) == pytest.approx(100)
    assert translation.bleu(["ein hund läuft hier"], ["Ein Hund läuft hier"], lowercase=False) < 60


def test_systems_take_turns_and_one_that_fails_is_left_out():
    order: list[str] = []

    def system(name: str, fails: bool = False):
        def translate(lines):
            if fails:
                raise ValueError("broken")
            order.append(name)
            return list(lines)

        return engines.System(name, "run", lambda beam, workers: translate)

    measured, failed = translation.speeds(
        [system("a"), system("b"), system("c", True)],
        1,
        translation.Test(["x", "y"], ["x", "y"], lowercase=False),
        2,
        1,
    )
    assert [one.system for one in measured] == ["a", "b"]
    assert list(failed) == ["c (run), beam 1"]
    turns = [name for name, before in zip(order[4:], [*order[3:]], strict=False) if name != before]
    assert turns == ["a", "b", "a", "b", "a", "b", "a", "b"]


def test_every_weight_has_a_place_in_opennmt(tmp_path):
    ours = load_parts(make_run(tmp_path / "run", *TRANSFORMER)).weights
    found = weights.opennmt_names(ours)
    words = {"target_embedding.weight", "own_source_embedding.weight", "generator.bias"}
    assert sum(one.size for one in found.values()) == sum(one.size for name, one in ours.items() if name not in words)
    np.testing.assert_array_equal(
        found["decoder.transformer_layers.0.self_attn.linear_keys.weight"],
        np.split(ours["decoder.layers.0.attention.W_qkv.weight"], 3)[1],
    )


def test_every_weight_has_a_place_in_marian(tmp_path):
    from safetensors.numpy import load_file

    run = make_run(tmp_path / "run", *POST)
    ours = load_parts(run).weights
    found = load_file(weights.marian_weights(run, tmp_path / "marian.safetensors"))
    positions = sum(one.size for name, one in found.items() if "positions" in name)
    source = ours["own_source_embedding.weight"].size  # MarianMT has one table for both sides
    assert sum(one.size for one in found.values()) - positions == sum(one.size for one in ours.values()) - source


def test_marian_holds_post_norm_models_with_one_vocabulary_only(tmp_path):
    config = load_parts(make_run(tmp_path / "run", *POST)).config
    assert not weights.post_norm(config), "its two sides have words of their own"
    tied = config.model_copy(update={"model": config.model.model_copy(update={"tie_source": True})})
    assert weights.post_norm(tied)


def test_a_process_elsewhere_answers_and_its_end_is_told(tmp_path, monkeypatch):
    program = tmp_path / "echo.py"
    program.write_text("import sys\nprint(1, flush=True)\nfor line in sys.stdin: print(line.strip(), flush=True)\n")
    monkeypatch.setattr(engines, "PEERS", tmp_path)
    monkeypatch.setattr(engines, "HERE", Path("/"))
    other = engines.Elsewhere(Path(sys.executable), str(program), {}, 1)
    assert other.ask({"lines": ["한국어"]}) == {}  # the first answer was to what it was told
    assert other.ask({"lines": ["x"]}) == {"lines": ["한국어"]}
    other.close()
    program.write_text("import sys\nsys.exit(7)\n")
    with pytest.raises((ValueError, BrokenPipeError)):
        engines.Elsewhere(Path(sys.executable), str(program), {}, 1).ask({})
