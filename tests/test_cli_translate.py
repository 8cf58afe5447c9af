"""`jumok translate`, `align`, `score`, `evaluate` and `card` as a user calls them."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from jumok.alignment import read_soft
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.tasks.translation.model import load
from tests.decoding.exact import exact_outcomes
from tests.decoding.tiny_run import make_run

RUN = Path(__file__).parent / "golden" / "rnnsearch-1"
TRANSFORMER = Path(__file__).parent / "golden" / "transformer-1"
LINES = ["Who sleeps at the hotel today?", "", "My cousin plays the guitar."]


def jumok(*arguments, stdin=None, expect=0):
    """Runs the command line in a process of its own; stdout and stderr as text."""
    command = [sys.executable, "-m", "jumok", *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    given = stdin if isinstance(stdin, bytes) else (stdin or "").encode()
    done = subprocess.run(command, input=given, capture_output=True, env=environment, timeout=300, check=False)
    assert done.returncode == expect, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def test_lines_come_out_as_they_go_in(call, source):
    code, out, _ = call("translate", RUN, source)
    assert code == 0
    lines = out.split("\n")
    assert len(lines) == 4
    assert lines[1] == ""
    assert all((lines[0], lines[2]))
    piped, _ = jumok("translate", RUN, stdin="\n".join(LINES))  # no newline at the end
    assert piped == out


def test_json_has_the_promised_keys(call, source):
    code, out, _ = call("translate", RUN, source, "--json", "--attention", "--tree", "--nbest", "2", "--beam", "3")
    assert code == 0
    first, empty, last = map(json.loads, out.splitlines())
    for one in (first, last):
        assert {"source", "text", "tokens", "score", "alignment", "attention", "beam", "alternatives"} <= set(one)
        words = len(one["source"].split()), len(one["text"].split())
        assert all(0 <= i < words[0] and 0 <= j < words[1] for i, j in one["alignment"])
        assert len(one["attention"]["cross"][0][0]) == len(one["tokens"]) + 1
        assert {node["state"] for node in one["beam"]} == {"kept", "pruned", "finished"}
        assert one["alternatives"][0]["score"] <= one["score"]
    assert (empty["source"], empty["text"], empty["alignment"]) == ("", "", [])
    assert "attention" not in json.loads(call("translate", RUN, source, "--json")[1].splitlines()[0])


def test_links_pictures_and_explanations(call, source, tmp_path):
    picture = tmp_path / "out.svg"
    code, out, _ = call("translate", RUN, source, "--alignment", "--plot", picture)
    assert code == 0
    text, _, links = out.splitlines()[0].partition(" ||| ")
    assert text
    assert all(len(link.split("-")) == 2 for link in links.split())
    ElementTree.parse(picture)
    ElementTree.parse(tmp_path / "out-2.svg")  # the third line's; the empty one has none
    source.write_text(LINES[0] + "\n")
    for run in (RUN, TRANSFORMER):
        code, out, _ = call("translate", run, source, "--explain", "1")
        assert code == 0
        for step in ("1  scores", "2  weights", "3  alignment vectors", "4  context", "5  passed on"):
            assert step in out
    code, _, err = call("translate", RUN, source, "--explain", "99")
    assert code == 2
    assert "no target word 99" in err


def test_constraints_and_draws_from_the_command_line(call, source):
    _, out, _ = call("translate", RUN, source, "--require", "chat", "--forbid", "est-ce", "--prefix", "Le")
    for line in (out.splitlines()[0], out.splitlines()[2]):
        assert line.startswith("Le")
        assert "chat" in line.replace(".", " ").replace(",", " ").replace("?", " ").split()
        assert "est-ce" not in line.lower().split()
    draws = [call("translate", RUN, source, "--sample", "--seed", seed, "--top-p", "0.95")[1] for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    code, out, _ = call("translate", RUN, source, "--nbest", "3", "--ensemble", RUN)
    assert code == 0
    assert [line[0] for line in out.splitlines()[:3]] == ["0", "1", "2"]


@pytest.mark.parametrize(("words", "options"), [(400, ("--max-length", "5")), (400_000, ("--beam", "1"))])
def test_long_lines_are_cut_and_named(words, options, call, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("Hello.\n" + "the cat " * (words // 2) + "\n")
    code, out, err = call("translate", RUN, path, *options)
    assert code == 0
    assert len(out.splitlines()) == 2
    assert "long.txt, line 2 has" in err
    code, _, err = call("translate", RUN, path, *options, "--strict")
    assert code == 2
    assert "long.txt, line 2 has" in err


def test_bad_utf8_names_file_and_line(call, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"Hello.\nna\xefve\n")
    code, _, err = call("translate", RUN, path)
    assert code == 2
    assert "bad.txt:2" in err
    _, err = jumok("translate", RUN, stdin=b"Hello.\nHello.\nna\xefve\n", expect=2)
    assert "standard input, line 3" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("translate", "nowhere"),
        ("translate", RUN, "no-such-file"),
        ("translate", RUN, "--unknown", "perhaps", __file__),
        ("translate", RUN, "--attention", __file__),
        ("translate", RUN, "--length-penalty", "gnnt", __file__),
        ("align", RUN, __file__, __file__, "--method", "guess"),
        ("align", TRANSFORMER, __file__, __file__, "--layer", "7"),
        ("align", TRANSFORMER, __file__, __file__, "--heads", "x"),
        ("evaluate", RUN, "--source", __file__),
        ("evaluate", RUN, RUN),
        ("card", "nowhere"),
    ],
)
def test_mistakes_cost_one_sentence(call, arguments):
    code, out, err = call(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) == 1


def test_a_program_that_waits_for_each_answer_gets_it():
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "jumok", "translate", str(RUN), "--beam", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        for line in (LINES[0], LINES[2], LINES[0]):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline().endswith(b"\n")
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(timeout=300) == 0


def test_interactive_use_shows_links(monkeypatch, capsys):
    from jumok.cli.translate import Printer, converse
    from jumok.decoding.options import Options

    typed = iter([LINES[0], ""])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed))
    translator = load(RUN)
    converse(translator, Options(beam=2), Printer(translator, False, False, None, None))
    out = capsys.readouterr().out
    assert all(word in out for word in LINES[0].split())
    assert all(word in out for word in str(translator.translate(LINES[0], beam=2)).split())


@pytest.fixture
def pairs(tmp_path):
    from jumok.data.phrasebook import generate

    examples = list(generate("en-fr", "dev", 7))
    paths = {name: tmp_path / name for name in ("source", "target", "gold")}
    paths["source"].write_text("".join(one.source + "\n" for one in examples), encoding="utf-8")
    paths["target"].write_text("".join(one.target + "\n" for one in examples), encoding="utf-8")
    links = (" ".join(f"{i}-{j}" for i, j in one.links) for one in examples)
    paths["gold"].write_text("".join(line + "\n" for line in links), encoding="utf-8")
    return paths


def test_align_prints_pharaoh(call, pairs, tmp_path):
    from jumok.alignment import check_bounds, parse_pharaoh

    soft = tmp_path / "soft.npz"
    code, out, err = call("align", RUN, pairs["source"], pairs["target"], "--soft", soft, "--gold", pairs["gold"])
    assert code == 0
    assert err.startswith("AER ")
    sources, targets = (pairs[side].read_text().splitlines() for side in ("source", "target"))
    assert len(out.splitlines()) == 7
    for line, source, target, matrix in zip(out.splitlines(), sources, targets, read_soft(soft), strict=True):
        check_bounds(parse_pharaoh(line), len(source.split()), len(target.split()))
        assert matrix.weights.shape == (len(target.split()), len(source.split()))
    variants = [
        call("align", TRANSFORMER, pairs["source"], pairs["target"], *more)[1]
        for more in ((), ("--shift",), ("--layer", "1", "--heads", "0"), ("--method", "threshold"))
    ]
    assert len(set(variants)) == 4
    back = make_run(tmp_path / "back", "data.phrasebook=fr-en")
    code, out, _ = call(
        "align", RUN, pairs["source"], pairs["target"], "--reverse", back, "--symmetrize", "intersection"
    )
    assert code == 0
    assert len(out.splitlines()) == 7


def test_the_search_for_heads_is_kept_with_the_run(call, pairs, tmp_path):
    run = shutil.copytree(TRANSFORMER, tmp_path / "run")
    code, out, err = call("align", run, pairs["source"], pairs["target"], "--search", "--gold", pairs["gold"])
    assert code == 0
    assert "by gold" in err
    assert json.loads((run / "alignment.json").read_text())["found_by"] == "gold"
    assert call("align", run, pairs["source"], pairs["target"])[1] == out


def test_score_agrees_with_translate(call, pairs, tmp_path):
    _, out, _ = call("translate", RUN, pairs["source"], "--json", "--length-penalty", "none")
    found = [json.loads(line) for line in out.splitlines()]
    texts = tmp_path / "texts"
    texts.write_text("".join(one["text"] + "\n" for one in found))
    code, out, err = call("score", RUN, pairs["source"], texts, "--json")
    assert code == 0
    assert "perplexity" in err
    same = 0
    translator = load(RUN)
    again = translator.translate([one["source"] for one in found], options=Options(scoring=Scoring("none")))
    assert [one.text for one in again] == [one["text"] for one in found]
    outcomes = exact_outcomes(translator.model, again)
    for one, scored, exact in zip(found, map(json.loads, out.splitlines()), outcomes, strict=True):
        exact.assert_sum(one["score"])
        if one["tokens"] == scored["tokens"]:  # a word may be read back in other pieces than it was written in
            same += 1
            exact.assert_sum(scored["log_prob"])
    assert same >= 4
    texts.write_text("one line\n")
    assert call("score", RUN, pairs["source"], texts)[0] == 2


def test_evaluate_measures_and_compares(call, pairs, tmp_path):
    files = ("--source", pairs["source"], "--reference", pairs["target"], "--gold", pairs["gold"])
    page = tmp_path / "report.html"
    code, out, _ = call("evaluate", RUN, *files, "--json")
    assert code == 0
    tree = json.loads(out)
    assert {"bleu", "chrf", "ter", "signature", "aer", "by_length", "exposure", "gradient_flow"} <= set(tree)
    assert 0 < tree["aer"] < 1
    assert tree["exposure"]["free_running"] >= tree["exposure"]["teacher_forced"]
    code, out, _ = call("evaluate", RUN, TRANSFORMER, *files, "--samples", "20", "--html", page, "--quick", "--json")
    assert code == 0
    both = json.loads(out)
    assert both["runs"][0]["bleu"] == pytest.approx(tree["bleu"])
    assert [one["metric"] for one in both["comparisons"]] == ["bleu", "chrf", "ter"]
    assert "transformer-1" in page.read_text()
    code, out, _ = call("evaluate", RUN, "--size", "5", "--quick")
    assert code == 0
    assert "BLEU" in out


def test_evaluate_notices_that_only_the_references_are_lower_cased(call, pairs, tmp_path):
    lower = tmp_path / "lower"
    lower.write_text(pairs["target"].read_text().lower())
    run, files = shutil.copytree(RUN, tmp_path / "run"), ("--source", pairs["source"], "--quick", "--reference", lower)
    code, out, err = call("evaluate", run, *files, "--json", "--card")
    assert code == 0
    tree = json.loads(out)
    uncased = tree["ignoring_case"]
    assert uncased["lowercased"] == "references"
    assert "case:mixed" in tree["signature"]["bleu"]
    assert "case:lc" in uncased["signature"]["bleu"]
    assert uncased["bleu"] > tree["bleu"]
    assert uncased["chrf"] > tree["chrf"]
    assert err.count("warning: run: the references are lower-cased but its translations have capitals") == 1
    assert f"ignoring case it is {uncased['bleu']:.1f}" in err
    assert f"BLEU ignoring case **{uncased['bleu']:.3f}**" in (run / "README.md").read_text()
    code, out, err = call("evaluate", run, *files, "--json", "--lowercase")
    assert "ignoring_case" not in json.loads(out)
    assert json.loads(out)["bleu"] == pytest.approx(uncased["bleu"])
    assert "lower-cased" not in err


def test_a_lower_cased_run_is_compared_with_a_cased_one_both_ways(call, pairs, tmp_path):
    lower = make_run(tmp_path / "lower", "model.preset=rnnsearch", "text.lowercase=true")
    files = ("--source", pairs["source"], "--reference", pairs["target"], "--quick", "--samples", "20")
    page = tmp_path / "report.html"
    code, out, err = call("evaluate", lower, RUN, *files, "--html", page)
    assert code == 0
    assert "warning: lower: its translations are lower-cased but the references have capitals" in err
    assert f"warning: {RUN.name}" not in err
    assert "bleu, ignoring case: " in out
    assert "ignoring case" in out.partition("BLEU by source words")[0]
    assert "Scores ignoring case" in page.read_text()
    tree = json.loads(call("evaluate", lower, RUN, *files, "--json")[1])
    assert [one["ignoring_case"]["lowercased"] for one in tree["runs"]] == ["translations", None]
    names = [one["metric"] for one in tree["comparisons"]]
    assert names == ["bleu", "chrf", "ter", "bleu, ignoring case", "chrf, ignoring case"]


def test_the_card_tells_what_was_measured(call, pairs, tmp_path):
    run = shutil.copytree(RUN, tmp_path / "run")
    code, out, _ = call("card", run)
    assert code == 0
    assert Path(out.strip()) == run / "README.md"
    card = (run / "README.md").read_text()
    assert "Not measured yet" in card
    assert "`bahdanau`" in card
    assert (
        call("evaluate", run, "--source", pairs["source"], "--reference", pairs["target"], "--quick", "--card")[0] == 0
    )
    assert "nrefs:1" in (run / "README.md").read_text()
    assert call("card", run, "--print")[1] == (run / "README.md").read_text()
