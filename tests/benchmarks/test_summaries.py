"""The summaries benchmark measures a run, reads its curve, and writes OpenNMT-py's options."""

import gzip
from pathlib import Path

from jumok.data.newsbook import generate
from tests.benchmarks.programs import ROOT, load

program, peer = load("summaries"), load("summaries_opennmt")


def test_names_are_counted_where_they_should_be():
    report = next(iter(generate("en", "test", 1)))
    assert program.copied_right(report.headline, report) == 3
    assert program.copied_right("", report) == 0
    wrong = report.headline.split()
    wrong[report.copied[0]] = "<unk>"
    assert program.copied_right(" ".join(wrong), report) == 2


def test_a_level_is_reached_at_the_first_validation_that_has_it():
    points = [{"minutes": 1.0, "rougeL": 10.0}, {"minutes": 2.0, "rougeL": 30.0}]
    assert [program.first_reached(points, level) for level in (10, 20, 40)] == [1.0, 2.0, None]


def test_corpora_are_read_line_by_line(tmp_path: Path):
    (tmp_path / "acl_titles_en").mkdir()
    with gzip.open(tmp_path / "acl_titles_en" / "dev.src.gz", "wt", encoding="utf-8") as file:
        file.write("one\ntwo\n")
    assert program.lines_of(tmp_path, "acl_titles_en", "dev", "src", 1) == ["one"]


def test_the_peer_copies_with_coverage_from_the_same_vocabulary(tmp_path: Path):
    config = peer.config_of(tmp_path, 250)
    assert config["copy_attn"] is config["coverage_attn"] is config["share_vocab"] is True
    assert config["src_vocab"] == config["tgt_vocab"]
    assert str(ROOT) not in str(config["data"])
