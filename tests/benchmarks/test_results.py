"""The results' program trains, measures, skips what is done, goes on with what was killed, says what is not done."""

import dataclasses
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from safetensors.torch import load_file

from jumok.data.phrasebook import generate
from jumok.output import require_picture_place
from tests.benchmarks.programs import ROOT, load

ROW = "de-en-gru"
TINY = [
    "text.size=420", "model.embedding=16", "model.encoder.size=16", "model.decoder.size=16",
    "train.batch_tokens=256", "train.validate_every=2", "train.save_every=2", "train.validate_size=3", "train.warmup=2",
    "runtime.threads=1", "runtime.loader=thread",
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder that looks like Multi30k, with the phrasebook in it."""
    folder = tmp_path_factory.mktemp("corpus")
    for part, split, size in (("train", "train", 300), ("val", "dev", 7), ("test_2016_flickr", "test", 11)):
        examples = list(generate("en-fr", split, size))
        for language, lines in (("en", [e.source for e in examples]), ("de", [e.target for e in examples])):
            with gzip.open(folder / f"{part}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
    return folder


def command(corpus, place, *settings, row=ROW):
    program = [sys.executable, str(ROOT / "benchmarks" / "results.py"), "--data", str(corpus), "--rows", row]
    return [*program, "--runs", str(place / "runs"), "--out", str(place / "results"), "--set", *TINY, *settings]


@pytest.mark.timeout(300)
def test_a_killed_row_goes_on_and_a_finished_one_is_skipped(corpus, tmp_path):
    run = tmp_path / "runs" / ROW
    first = subprocess.Popen(command(corpus, tmp_path, "train.max_steps=1000000"), start_new_session=True)
    while not list(run.glob("checkpoints/[0-9]*")):
        assert first.poll() is None
        time.sleep(0.1)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    page_only = [sys.executable, str(ROOT / "benchmarks" / "results.py"), "--page-only", *command(corpus, tmp_path)[4:]]
    subprocess.run(page_only, check=True)
    assert "not finished: step" in (tmp_path / "results.md").read_text()
    reached = max(int(path.name) for path in run.glob("checkpoints/[0-9]*"))
    subprocess.run(command(corpus, tmp_path, f"train.max_steps={reached + 4}"), check=True)
    result = json.loads((tmp_path / "results" / f"{ROW}.json").read_text())
    assert result["steps"] == reached + 4
    assert [point["step"] for point in result["curve"]] == list(range(2, reached + 5, 2)), "it went on, not anew"
    assert set(result["scores"]) == {"greedy", "beam 5"}
    for named in result["scores"].values():
        assert all("version" in one["signature"] for one in named.values())
    before = (tmp_path / "results" / f"{ROW}.json").stat().st_mtime_ns
    subprocess.run(command(corpus, tmp_path, "model.embedding=3"), check=True)
    assert (tmp_path / "results" / f"{ROW}.json").stat().st_mtime_ns == before, "a finished row is skipped"
    page = (tmp_path / "results.md").read_text()
    assert "not finished: not started" in page
    assert result["scores"]["beam 5"]["cased 13a"]["signature"] in page


@pytest.mark.timeout(300)
def test_a_student_learns_from_its_teacher_which_is_trained_first(corpus, tmp_path):
    subprocess.run(command(corpus, tmp_path, "train.max_steps=2", row="de-en-attention"), check=True)
    teacher, student = (tmp_path / "runs" / name for name in ("de-en-transformer", "de-en-attention"))
    assert (teacher / "model.safetensors").exists()
    assert not (tmp_path / "results" / "de-en-transformer.json").exists(), "only what was asked for is measured"
    assert (tmp_path / "results" / "de-en-attention.json").exists()
    text = tmp_path / "runs" / "de-en-attention-text"
    assert json.loads((student / "config.json").read_text())["data"]["folder"] == str(text)
    with gzip.open(text / "train.en.gz", "rt", encoding="utf-8") as file:
        assert len(file.readlines()) > 300, "the teacher's sentences stand beside the people's"
    begun = (teacher / "model.safetensors").stat().st_mtime_ns
    (tmp_path / "results" / "de-en-attention.json").unlink()
    subprocess.run(command(corpus, tmp_path, "train.max_steps=2", row="de-en-attention"), check=True)
    assert (teacher / "model.safetensors").stat().st_mtime_ns == begun, "a teacher is trained once"


@pytest.mark.timeout(300)
def test_a_row_of_several_seeds_is_their_mean(corpus, tmp_path):
    results = load("results")
    row = dataclasses.replace(next(row for row in results.ROWS if row.name == ROW), seeds=(1, 2))
    kept = tmp_path / "row.json"
    results.finish(row, tmp_path / ROW, kept, corpus, [*TINY, "train.max_steps=2"])
    members = [load_file(tmp_path / f"{ROW}-seed-{seed}" / "model.safetensors") for seed in row.seeds]
    mean = load_file(tmp_path / ROW / "model.safetensors")
    assert any(not torch.equal(members[0][name], members[1][name]) for name in mean), "two seeds, two models"
    for name, value in mean.items():
        torch.testing.assert_close(value, (members[0][name] + members[1][name]) / 2)
    result = json.loads(kept.read_text())
    assert (result["seed"], result["steps"], result["stopped"]) == ("1, 2", 4, "averaged")
    assert "averaged" in load("results_page").facts_of(row, result)


def test_pictures_of_the_documents_may_be_drawn_again():
    """Those from before pictures had a mark were refused, so `make results` ended before it wrote its page."""
    pictures = [*(ROOT / "docs").rglob("*.svg")]
    assert len(pictures) > 10
    for picture in pictures:
        require_picture_place(picture)


def test_the_length_penalty_is_the_smallest_that_val_cannot_tell_from_the_best():
    chosen = load("results").chosen_alpha
    assert chosen({0.6: 38.5, 1.0: 39.0, 1.4: 39.2}) == 1.0
    assert chosen({0.6: 38.5, 1.0: 38.8, 1.4: 39.2}) == 1.4
    assert chosen({0.6: 40.0}) == 0.6


def test_the_tokenised_score_ignores_what_moses_unifies():
    moses = load("results").moses
    assert moses(["Ein Hund läuft, „schnell“."], "de") == moses(['ein Hund läuft , "schnell" .'], "de")


def test_times_do_not_count_pauses(tmp_path):
    results = load("results")
    (tmp_path / "checkpoints" / "60").mkdir(parents=True)
    (tmp_path / "checkpoints" / "60" / "environment.json").write_text(json.dumps({"seconds": 1234.0, "threads": 2}))
    times = [("started", 0, 0.0), ("logged", 20, 40.0), ("logged", 40, 1000.0), ("logged", 60, 1040.0)]
    lines = [json.dumps({"event": event, "step": step, "time": at}) for event, step, at in times]
    (tmp_path / "timing.jsonl").write_text("\n".join(lines) + "\n")
    found = results.timing(tmp_path)
    assert found["minutes_at_median_pace"] == pytest.approx(2.0)
    assert found["threads"] == 2
