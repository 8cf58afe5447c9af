"""What a user meets at the edges of translating: damaged folders, odd characters, empty sides, lines of any length."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from jumok.text.tokenizer import build_tokenizer
from tests.decoding.tiny_run import LINES, make_run
from tests.test_cli_translate import RUN

ENGINES = ("torch", "fast")


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(RUN, tmp_path / "run"))


@pytest.fixture
def line(tmp_path):
    path = tmp_path / "line.txt"
    path.write_text("My cousin plays the guitar.\n")
    return path


def refused(call, run, line, engine, match):
    """One sentence and code 2."""
    code, out, err = call("translate", run, line, "--engine", engine)
    assert code == 2, (out, err)
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert match in err


def changed(run: Path, *keys_and_value) -> None:
    """config.json with another value at a place."""
    *keys, value = keys_and_value
    tree = json.loads((run / "config.json").read_text())
    part = tree
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    (run / "config.json").write_text(json.dumps(tree))


CHANGES = (
    ("model", "decoder", "size", 16),
    ("model", "encoder", "size", 64),
    ("model", "encoder", "cell", "tanh"),
    ("model", "decoder", "cell", "lstm"),
    ("model", "decoder", "attention", "none"),
    ("model", "decoder", "attention", "luong-concat"),
    ("model", "encoder", "layers", 2),
    ("model", "decoder", "input_feeding", True),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("change", CHANGES, ids=lambda one: "-".join(map(str, one[1:])))
def test_weights_of_another_model_are_refused(call, copy, line, engine, change):
    changed(copy, *change)
    code, out, err = call("translate", copy, line, "--engine", engine)
    assert (code, out) == (2, ""), err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_damaged_folders_are_refused(call, copy, line, engine):
    weights = (copy / "model.safetensors").read_bytes()
    tensors = load_file(copy / "model.safetensors")
    (copy / "model.safetensors").write_bytes(weights[:-100])
    refused(call, copy, line, engine, "damaged")
    save_file({**tensors, "more": tensors["generator.bias"]}, copy / "model.safetensors")
    refused(call, copy, line, engine, "more")
    (copy / "model.safetensors").unlink()
    refused(call, copy, line, engine, "is missing")
    (copy / "model.safetensors").write_bytes(weights)
    changed(copy, "format", 99)
    refused(call, copy, line, engine, "format 99")
    refused(call, copy / "nowhere", line, engine, "There is no run folder")
    refused(call, line, line, engine, "is a file, not a run folder")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tokenizer_of_another_run_is_refused(call, tmp_path, line, engine):
    run = make_run(tmp_path / "run", kind="bpe", size=400)
    assert call("translate", run, line, "--engine", engine)[0] == 0
    other = build_tokenizer("bpe", [target for _, target in LINES], size=400)  # as large, and of another language
    other.save(run, "source")
    code, out, err = call("translate", run, line, "--engine", engine)
    assert (code, out) == (2, "")
    assert "tokenizer" in err


def test_a_choice_of_heads_that_are_not_there_is_refused(call, copy, line):
    (copy / "alignment.json").write_text('{"format": 1, "layer": 0, "heads": [9], "shift": false, "found_by": "gold"}')
    code, _, err = call("translate", copy, line)
    assert code == 2
    assert "heads" in err


@pytest.mark.parametrize("engine", ENGINES)
def test_line_separators_stay_inside_their_line(call, tmp_path, engine):
    path = tmp_path / "in.txt"
    path.write_text("My cousin\u2028plays the\u0085guitar.\n\nWho sleeps?\u2029\n", encoding="utf-8")
    code, out, _ = call("translate", RUN, path, "--json", "--attention", "--engine", engine)
    assert code == 0
    found = [json.loads(one) for one in out.splitlines()]  # splits at every character that some take for a line's end
    assert [one["source"] for one in found] == path.read_text("utf-8").split("\n")[:3]
    assert found[1]["attention"] == {"encoder": [], "decoder": [], "cross": []}
    assert found[0]["attention"]["cross"]


def test_a_word_that_few_lines_have_is_explained_where_it_is(call, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("Go.\nMy cousin plays the guitar.\n")
    code, out, err = call("translate", RUN, path, "--explain", "2")
    counts = [len(one.split()) for one in call("translate", RUN, path)[1].splitlines()]
    assert code == (0 if max(counts) > 2 else 2)
    assert ("warning" in err) == (min(counts) <= 2)
    assert call("translate", RUN, path, "--explain", "999")[0] == 2
    code, out, _ = call("translate", RUN, path, "--min-length", "60", "--max-length", "70", "--explain", "5")
    assert code == 0
    assert "Step" in out


def test_ranks_are_printed_for_every_line(call, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("My cousin plays the guitar.\n\nWho sleeps?\n")
    code, out, _ = call("translate", RUN, path, "--nbest", "2")
    assert code == 0
    lines = out.splitlines()
    assert [one[:6] for one in lines] == ["0 ||| ", "1 ||| ", "", "0 ||| ", "1 ||| "]


def test_a_word_that_no_line_has_is_told_once(call, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("Go.\n")
    code, _, err = call("translate", RUN, path, "--explain", "99")
    assert code == 2
    assert err.count("there is no target word 99") == 1
    assert len(err.splitlines()) == 1
    path.write_text("Go.\nWho sleeps?\n")
    code, _, err = call("translate", RUN, path, "--explain", "99")
    assert code == 2
    lines = err.splitlines()
    assert [one.partition(":")[0] for one in lines] == ["warning", "warning", "error"]
    assert len(set(lines)) == 3
    assert lines[2] == "error: no line has a target word 99 to explain."


def test_hypotheses_are_told_apart_by_their_line(call, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("My cousin plays the guitar.\n\nWho sleeps?\n")
    code, out, _ = call("translate", RUN, path, "--nbest", "2", "--numbered")
    assert code == 0
    rows = [one.split(" ||| ") for one in out.splitlines()]
    assert [row[0] for row in rows] == ["0", "0", "1", "2", "2"]
    assert all(len(row) == 3 and float(row[2]) <= 0 for row in rows)
    ranked = call("translate", RUN, path, "--nbest", "2")[1].splitlines()
    assert [row[1:] for row in rows if row[0] != "1"] == [one.split(" ||| ")[1:] for one in ranked if one]
    plain = call("translate", RUN, path)[1].splitlines()
    assert call("translate", RUN, path, "--numbered")[1].splitlines() == [f"{n} ||| {t}" for n, t in enumerate(plain)]
    trees = [json.loads(one) for one in call("translate", RUN, path, "--json", "--numbered")[1].splitlines()]
    assert [tree["line"] for tree in trees] == [0, 1, 2]
    assert "line" not in json.loads(call("translate", RUN, path, "--json")[1].splitlines()[0])


def test_a_stream_is_a_file_too(call, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    child = os.fork()
    if child == 0:
        with path.open("w") as file:
            file.write("Who sleeps?\n")
        os._exit(0)
    code, out, err = call("translate", RUN, path)
    os.waitpid(child, 0)
    assert code == 0, err
    assert out.strip()


@pytest.fixture
def sides(tmp_path):
    paths = [tmp_path / "a.en", tmp_path / "a.fr", tmp_path / "a.gold"]
    for path, text in zip(paths, ("Who sleeps?\n\nThe dog\n", "Qui dort ?\nrien\n\n", "0-0 1-1\n\n\n"), strict=True):
        path.write_text(text)
    return paths


def test_empty_sides_have_no_links_and_a_score(call, sides):
    code, out, _ = call("align", RUN, *sides[:2])
    assert code == 0
    lines = out.split("\n")
    assert len(lines) == 4
    assert lines[0]
    assert lines[1] == lines[2] == ""
    code, out, _ = call("score", RUN, *sides[:2])
    assert code == 0
    assert len(out.splitlines()) == 3


def test_gold_links_must_be_of_these_sentences(call, sides):
    assert call("align", RUN, *sides[:2], "--gold", sides[2])[0] == 0
    sides[2].write_text("0-0 1-3\n\n\n")
    code, out, err = call("align", RUN, *sides[:2], "--gold", sides[2])
    assert (code, out) == (2, "")
    assert "line 1" in err
    code, out, err = call("evaluate", RUN, "--source", sides[0], "--reference", sides[1], "--gold", sides[2], "--json")
    assert (code, out) == (2, "")
    assert "outside a pair" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("align", RUN, "a.en", "a.fr", "--soft", "x.txt"),
        ("align", RUN, "a.en", "a.fr", "--symmetrize", "both"),
        ("evaluate", RUN, "--source", "a.en", "--reference", "a.fr", "--html", "x.txt"),
        ("evaluate", RUN, "--source", "a.en", "--reference", "a.fr", "--tokenize", "nothing"),
    ],
)
def test_mistakes_are_told_before_the_work(call, sides, monkeypatch, arguments):
    monkeypatch.chdir(sides[0].parent)
    code, out, err = call(*arguments)
    assert (code, out) == (2, ""), err
    assert "sentences of" not in err


def test_a_model_without_attention_has_no_alignment_error(call, tmp_path, sides):
    run = make_run(tmp_path / "none", "model.preset=seq2seq")
    code, out, _ = call(
        "evaluate",
        run,
        "--source",
        sides[0],
        "--reference",
        sides[1],
        "--gold",
        sides[2],
        "--json",
        "--quick",
        "--card",
    )
    assert code == 0
    assert json.loads(out)["aer"] is None
    assert "AER" not in (run / "README.md").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("model.preset=luong", "model.decoder.attention=luong-location"),
        ("model.preset=luong", "model.decoder.attention_options={score: location}"),
        ("model.preset=transformer", "model.encoder.positions=learned", "model.decoder.positions=learned"),
    ],
)
@pytest.mark.parametrize("verb", ["score", "align"])
def test_lines_beyond_the_last_position_are_cut_and_named(call, tmp_path, verb, options):
    run = make_run(tmp_path / "run", *options, "model.decoder.max_positions=40")
    source, target = tmp_path / "a.en", tmp_path / "a.fr"
    source.write_text("Who sleeps?\n" + "the " * 800 + "\nThe dog\n")
    target.write_text("Qui dort ?\nle chat\nle chien\n")
    code, out, err = call(verb, run, source, target)
    assert code == 0, err
    assert len(out.splitlines()) == 3
    assert [one for one in err.splitlines() if one.startswith("warning")] == [
        f"warning: line 2 is longer than the model can read; its end is not {verb}{'d' if verb == 'score' else 'ed'}."
    ]
    code, out, err = call("translate", run, source, "--beam", "2", "--max-length", "500")
    assert code == 0, err
    assert len(out.splitlines()) == 3
    assert "line 2 has 800 tokens" in err


def test_a_score_of_locations_limits_the_source_alone(tmp_path):
    from jumok.tasks.translation.model import load

    run = make_run(tmp_path / "run", "model.preset=luong", "model.decoder.attention=luong-location",
                   "model.decoder.max_positions=40")  # fmt: skip
    found = load(run).score([("Who sleeps?", "le " * 100), ("the " * 100, "le")])
    assert [one.cut for one in found] == [False, True]
    assert len(found[0].tokens) == 100


def test_options_of_the_mechanism_limit_positions_too(tmp_path):
    from jumok.tasks.translation.model import load

    run = make_run(tmp_path / "run", "model.preset=luong", "data.max_length=20",
                   "model.decoder.attention_options={score: location, max_length: 22}")  # fmt: skip
    assert [one.cut for one in load(run).score([("the " * 21, "le"), ("the " * 22, "le")])] == [False, True]


@pytest.mark.parametrize("tokenize", ["flores200", "flores101", "spBLEU-1K"])
def test_a_tokenizer_that_must_be_fetched_says_so(tmp_path, sides, tokenize):
    """Offline, which an address where nobody listens is."""
    command = [sys.executable, "-m", "jumok", "evaluate", str(RUN), "--source", str(sides[0]), "--reference",
               str(sides[1]), "--tokenize", tokenize]  # fmt: skip
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    environment = os.environ | nowhere | {"SACREBLEU": str(tmp_path / "sacrebleu"), "no_proxy": "", "NO_PROXY": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert f"BLEU's tokenizer '{tokenize}' needs a model that sacreBLEU downloads once" in done.stderr
    assert f"connect to the network, or copy its file from another machine to {tmp_path}" in done.stderr


def test_runs_are_named_once(call, copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments in (("average", "run", tmp_path / "run", "--out", "mean"), ("evaluate", "run", "./run/../run")):
        code, out, err = call(*arguments)
        assert (code, out) == (2, "")
        assert err == "error: the same run is named twice; name each run once.\n"
    assert not (tmp_path / "mean").exists()


def test_the_reverse_run_is_of_the_other_direction(call, tmp_path, sides):
    forward = make_run(tmp_path / "forward", "data.phrasebook=en-fr")
    other = make_run(tmp_path / "other", "data.phrasebook=en-ko")
    backward = make_run(tmp_path / "backward", "data.phrasebook=fr-en")
    for wrong, pair in ((other, "from en to ko"), (forward, "from en to fr")):
        code, out, err = call("align", forward, *sides[:2], "--reverse", wrong)
        assert (code, out) == (2, "")
        assert err == f"error: --reverse needs a run from fr to en, but {wrong} translates {pair}.\n"
    assert call("align", forward, *sides[:2], "--reverse", backward)[0] == 0
    sides[1].write_text("aaa bbb\nccc ddd eee\nfff\n")
    code, _, err = call("align", forward, *sides[:2], "--reverse", backward)
    assert code == 0
    assert "does not know most words of the target side" in err


def test_a_pipe_is_read_once_at_a_terminal_too(tmp_path, monkeypatch):
    """The bar counts the lines of a file first, which would empty a pipe."""
    from jumok.cli.translate import progress

    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert progress(tmp_path / "pipe").bar is None
    (tmp_path / "file").write_text("a\n")
    assert progress(tmp_path / "file").bar is not None
