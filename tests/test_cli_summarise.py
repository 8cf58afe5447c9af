"""Summarisation from the command line: trained, resumed exactly, summarised, refused."""

import json
import sys
from pathlib import Path

import pytest

from jumok.cli.app import run as jumok
from jumok.data.newsbook import generate
from jumok.decoding.length import Length
from jumok.decoding.options import Options
from jumok.errors import InputError
from jumok.tasks import load

SMALL = ["task=summarisation", "data.newsbook_size=300", "data.held_out=20", "text.min_count=5", "model.embedding=24"]
SIZES = ["model.encoder.size=24", "model.decoder.size=24", "train.validate_every=4", "train.save_every=4"]
QUIET = ["train.pictures=0", "train.batch_tokens=128", "runtime.threads=1", "train.validate_size=5"]


def command(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["jumok", *arguments])
        try:
            jumok()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("summaries") / "run"
    assert command("train", *SMALL, *SIZES, *QUIET, "train.max_steps=8", "--out", str(out)) == 0
    return out


def test_a_resumed_run_is_the_uninterrupted_one(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "halves"
    keys = [*SMALL, *SIZES, *QUIET, "train.schedule=constant", "train.warmup=1"]
    whole = tmp_path / "whole"
    assert command("train", *keys, "train.max_steps=8", "--out", str(whole)) == 0
    assert command("train", *keys, "train.max_steps=4", "--out", str(out)) == 0
    assert command("train", "--resume", str(out), "train.max_steps=8") == 0
    assert (out / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_summaries_are_printed(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = list(generate("en", "test", 3))
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"paragraphs": list(r.sentences)}) + "\n" for r in reports), encoding="utf-8")
    capsys.readouterr()
    assert command("summarise", str(trained), str(texts), "--json", "--max-length", "6") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(line["looked"]) for line in lines] == [len(report.sentences) for report in reports]
    assert all(len(line["words"]) <= 6 for line in lines)
    assert all(abs(sum(line["looked"]) - 1) < 1e-6 for line in lines if line["words"])


def test_a_beam_of_one_is_greedy_and_copies_words_that_the_vocabulary_does_not_have(trained: Path) -> None:
    model = load(trained)
    texts = [report.text for report in generate("en", "test", 7)]
    greedy = model.summarise_all(texts, options=Options(beam=1))
    beamed = model.translate(texts, options=Options(beam=1, tree=True))
    assert [one.text for one in greedy] == [one.text for one in beamed]
    assert not any("<copy" in one.text for one in greedy)
    found = model.translate([texts[0]], options=Options(beam=3))[0]
    assert model.score([(texts[0], found.text)])[0].log_prob == pytest.approx(found.log_prob, abs=1e-3)


def test_evaluate_prints_rouge_beside_every_baseline(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("evaluate", str(trained), "--size", "10", "--beam", "1", "--html", str(tmp_path / "page.html")) == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("ROUGE (stemmed)", "lead-1", "random", "oracle", "AER", "run"))
    assert "BLEU" not in printed
    assert "oracle" in (tmp_path / "page.html").read_text(encoding="utf-8")
    reports = list(generate("en", "test", 4))
    (tmp_path / "texts").write_text("".join(f"{one.text}\n" for one in reports), encoding="utf-8")
    (tmp_path / "heads").write_text("".join(f"{one.headline}\n" for one in reports), encoding="utf-8")
    files = ["--source", str(tmp_path / "texts"), "--reference", str(tmp_path / "heads")]
    assert command("evaluate", str(trained), *files, "--tokenize", "characters", "--json") == 0
    tree = json.loads(capsys.readouterr().out)
    assert (tree["tokenisation"], tree["sentences"]) == ("characters", 4)
    assert tree["systems"][0]["rougeL"]["low"] <= tree["systems"][0]["rougeL"]["value"]
    assert load(trained).evaluate(size=3, beam=1).count == 3
    assert command("evaluate", str(trained), "--card") == 2
    assert "--card" in capsys.readouterr().err


def test_validation_is_by_rouge(trained: Path) -> None:
    rows = [json.loads(line) for line in (trained / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    found = next(row for row in rows if "valid_loss" in row)
    assert {"valid_rouge1", "valid_rouge2", "valid_rougeL"} <= set(found)


def test_what_cannot_be_copied_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(
        "train", "task=summarisation", "text.joint=false", "model.tie_source=false", "--out", str(tmp_path / "a")
    )
    assert "text.joint=true" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"title": "x"}\n', encoding="utf-8")
    assert command("summarise", str(tmp_path), str(bad))
    assert "line 1" in capsys.readouterr().err


def test_the_card_says_that_it_summarises(trained: Path) -> None:
    card = (trained / "README.md").read_text(encoding="utf-8")
    assert "Summarises texts (language: en)" in card
    assert "jumok summarise run" in card
    assert "newsbook `en` (300 reports)" in card
    assert not any(word in card for word in ("Translates", "translate", "phrasebook"))


def test_a_line_in_is_a_line_out_and_nothing_but_a_newline_ends_a_line(trained, tmp_path, capsys) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("the first text .\n\nthe\u2028third\x0ctext .\n", encoding="utf-8")
    capsys.readouterr()
    assert command("summarise", str(trained), str(texts), "--length", "2") == 0
    found = capsys.readouterr().out.split("\n")
    assert [bool(line) for line in found] == [True, False, True, False]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("texts.txt", b"fine\n\xff\xfe broken\n", "texts.txt:2: bad UTF-8"),
        ("texts.jsonl", b'{"text": "fine"}\n\n[1]\n', "line 3 of"),
        ("texts.jsonl", b"[" * 100_000 + b"\n", "line 1 of"),
        ("texts.jsonl", b'{"paragraphs": "\\ud800"}\n', "lone surrogate"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_its_number(trained, tmp_path, capsys, name, content, said) -> None:
    (tmp_path / name).write_bytes(content)
    capsys.readouterr()
    assert command("summarise", str(trained), str(tmp_path / name)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize("place", ["nowhere.txt", "."])
def test_what_is_not_a_file_is_one_sentence(trained, tmp_path, capsys, monkeypatch, place) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("summarise", str(trained), place) == 2
    assert "Errno" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda model: model.summarise(None), "texts are needed"),
        (lambda model: model.summarise(b"bytes"), "not bytes"),
        (lambda model: model.summarise_all("one text"), "texts are needed"),
        (lambda model: model.summarise_all([None]), "texts are needed"),
        (lambda model: model.evaluate("one text", "its summary"), "texts are needed"),
        (lambda model: model.evaluate([], []), "nothing to summarise"),
        (lambda model: model.evaluate(["a"], ["a"], samples=0), "samples must be from 1"),
        (lambda _: Length.parse("99999999999"), "more than 100000 words"),
    ],
)
def test_what_is_not_a_text_is_one_sentence(trained: Path, ask, said) -> None:
    with pytest.raises(InputError, match=said):
        ask(load(trained))


def test_long_texts_are_learned_from_their_beginnings_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = list(generate("en", "train", 60))
    for name, lines in {
        "src": [" ".join(reports[(n + k) % 60].text for k in range(9)) for n in range(60)],
        "tgt": [report.headline for report in reports],
    }.items():
        (tmp_path / f"long.{name}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert max(len(line.split()) for line in (tmp_path / "long.src").read_text(encoding="utf-8").splitlines()) > 300
    files = [f"data.source={tmp_path / 'long.src'}", f"data.target={tmp_path / 'long.tgt'}", "data.max_length=40"]
    small = ["task=summarisation", "data.held_out=5", "text.kind=words", "text.slots=10", "text.min_count=3"]
    keys = [*files, *small, "model.embedding=24", *SIZES, *QUIET, "train.max_steps=4"]
    assert command("train", *keys, "--out", str(tmp_path / "run")) == 0
    said = capsys.readouterr()
    assert "57 of 60 pairs kept, 3 held out for validation" in said.out + said.err
    assert "training texts have more than data.max_length=40 tokens and are cut." in said.out + said.err
    assert "left out" not in said.out + said.err
    assert (
        command("summarise", str(tmp_path / "run"), str(tmp_path / "long.src"), "--plot", str(tmp_path / "a.txt")) == 2
    )
    assert command("summarise", str(tmp_path / "run"), str(tmp_path / "long.src"), "--plot", str(tmp_path / "a.svg"),
                   "--min-length", "2") == 0  # fmt: skip
    assert "…" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (tmp_path / "a-2.svg").exists()
    assert "were not read" in capsys.readouterr().err
