"""The summaries benchmark measures a run, reads its curve, writes OpenNMT-py's options, and keeps to minutes."""

import argparse
import gzip
import json
import sys
import time
from pathlib import Path

import pytest

from jumok.data.newsbook import generate
from tests.benchmarks.programs import ROOT, load

program, texts, peer, budget = (load(name) for name in ("summaries", "summaries_real", "summaries_opennmt", "budget"))


def test_names_are_counted_where_they_should_be():
    report = next(iter(generate("en", "test", 1)))
    assert program.copied_right(report.headline, report) == 3
    assert program.copied_right("", report) == 0
    wrong = report.headline.split()
    wrong[report.copied[0]] = "<unk>"
    assert program.copied_right(" ".join(wrong), report) == 2


def test_a_level_is_reached_at_the_first_validation_that_has_it():
    points = [{"minutes": 1.0, "rougeL": 10.0}, {"minutes": 2.0, "rougeL": 30.0}]
    assert [texts.first_reached(points, level) for level in (10, 20, 40)] == [1.0, 2.0, None]


def test_corpora_are_read_line_by_line(tmp_path: Path):
    (tmp_path / "acl_titles_en").mkdir()
    with gzip.open(tmp_path / "acl_titles_en" / "dev.src.gz", "wt", encoding="utf-8") as file:
        file.write("one\ntwo\n")
    assert texts.lines_of(tmp_path, "acl_titles_en", "dev", "src", 1) == ["one"]


def test_the_peer_copies_with_coverage_from_the_same_vocabulary(tmp_path: Path):
    config = peer.config_of(tmp_path, 250)
    assert config["copy_attn"] is config["coverage_attn"] is config["share_vocab"] is True
    assert config["src_vocab"] == config["tgt_vocab"]
    assert str(ROOT) not in str(config["data"])


def test_the_minutes_of_one_thread_are_those_of_the_processor():
    assert str(budget.Budget(20, 1)) == "20 processor minutes of one thread"
    assert str(budget.Budget(20)) == "20 minutes on all threads"
    assert budget.Budget(1, 1).environment["OMP_NUM_THREADS"] == "1"


def test_a_training_is_ended_at_its_first_checkpoint_after_its_budget(tmp_path: Path):
    """Sleeping costs nothing; nor does what is done before training begins."""
    work = (
        "import pathlib, sys, time\n"
        "end = time.process_time() + 0.5\nwhile time.process_time() < end: pass\n"
        "print('begins', flush=True)\ntime.sleep(0.7)\n"
        "n = 0\nwhile True:\n"
        "    n += 1\n    end = time.process_time() + 0.1\n    while time.process_time() < end: pass\n"
        "    pathlib.Path(sys.argv[1], str(n)).touch()\n"
    )
    (tmp_path / "saved").mkdir()
    spent: dict[str, float] = {}

    def saved(seconds: float) -> bool:
        fresh = {path.name for path in (tmp_path / "saved").iterdir()} - set(spent)
        spent.update(dict.fromkeys(fresh, seconds))
        return bool(fresh)

    command = [sys.executable, "-c", work, str(tmp_path / "saved")]
    budget.spend(command, budget.Budget(0.6 / 60, 1), tmp_path / "log", "begins", saved, every=0.02)
    assert (tmp_path / "log").exists()
    assert max(spent.values()) >= 0.6
    # 0.1 s of the processor for each, from the words that begin.
    assert all(abs(seconds - 0.1 * int(name)) < 0.1 + 0.02 * int(name) for name, seconds in spent.items())


def test_a_training_that_ends_by_itself_is_an_error(tmp_path: Path):
    command = [sys.executable, "-c", "print('begins')"]
    with pytest.raises(SystemExit, match="ended by itself with code 0"):
        budget.spend(command, budget.Budget(1, 1), tmp_path / "log", "begins", lambda _: False, every=0.01)


def test_processor_seconds_are_those_of_the_process():
    import os

    before, start = budget.processor_seconds(os.getpid()), time.process_time()
    while time.process_time() < start + 0.2:
        pass
    assert 0.1 < budget.processor_seconds(os.getpid()) - before < 0.4


def test_ours_is_trained_from_pieces_measured_by_its_weights_and_searched_as_dev_says(tmp_path: Path, monkeypatch):
    corpus = tmp_path / "data" / "debian_en"
    corpus.mkdir(parents=True)
    reports = {
        "train": generate("en", "train", 300),
        "dev": generate("en", "dev", 12),
        "test": generate("en", "test", 6),
    }
    for split, every in reports.items():
        for side, lines in zip(
            ("src", "tgt"), zip(*((one.text, one.headline) for one in every), strict=True), strict=True
        ):
            with gzip.open(corpus / f"{split}.{side}.gz", "wt", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
    small = ["text.size=400", "model.embedding=12", "model.encoder.size=12", "model.decoder.size=12"]
    options = argparse.Namespace(
        data=tmp_path / "data", out=tmp_path / "out", minutes=0.02, threads=1, every=10, dev=5, size=6, split="test",
        set=small[1:], peer=False, train=None, opennmt=None, corpora=["debian_en"],
    )  # fmt: skip
    monkeypatch.setattr(texts, "PIECES", ("text.kind=bpe", small[0]))
    monkeypatch.setattr(texts, "DECODINGS", dict(list(texts.DECODINGS.items())[:2]))
    row = texts.real(options)["debian_en"]
    assert row["budget"] == "0.02 processor minutes of one thread"
    points = json.loads((tmp_path / "out" / "real-debian_en" / "curve.json").read_text())
    assert row["jumok"]["curve"] == points
    assert [one["weights"] for one in points][-1] == "model.safetensors"
    assert sorted(one["minutes"] for one in points) == [one["minutes"] for one in points]
    assert row["jumok"]["decoding"]["best"] in texts.DECODINGS
    assert {one["name"] for one in row["baselines"]} >= {"lead-1", "random", "oracle"}


def test_what_the_peer_writes_is_read_from_its_checkpoints(tmp_path: Path):
    assert peer.step_of(tmp_path / "model_step_250.pt") == 250
    said = "INFO] Trainable parameters = {'torch.float32': 3445857, 'torch.float16': 0}\n"
    assert peer.parameters(said) == 3_445_857
