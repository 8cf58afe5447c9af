"""Summarisation from the command line: trained, resumed exactly, summarised, refused."""

import json
import sys
from pathlib import Path

import pytest
import torch

from jumok.cli.app import run as jumok
from jumok.cli.evaluate import refuse_samples
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


def summaries(run: Path, texts: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict]:
    """What the command prints of the texts as JSON."""
    capsys.readouterr()
    assert command("summarise", str(run), str(texts), "--json", "--beam", "2", *options) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_penalties_and_repeated_n_grams_reach_the_search(trained: Path, tmp_path: Path, capsys) -> None:
    texts = tmp_path / "texts.txt"
    # Eight words about two or three: some are looked at more than once.
    texts.write_text("Mayor Vulmek\nthe city of\nQarro Zoltan opened\n", encoding="utf-8")
    shape = ("--min-length", "8", "--max-length", "8")
    plain, again = (
        summaries(trained, texts, capsys, *shape),
        summaries(trained, texts, capsys, *shape, "--alpha", "0.6"),
    )
    assert plain == again
    model, lines = load(trained), texts.read_text(encoding="utf-8").splitlines()
    for one, line in zip(plain, lines, strict=True):
        assert one["text"] == model.translate(line, options=Options(beam=2, min_length=8, max_length=8)).text
    wide = tmp_path / "wide.txt"
    # Nine rows of weights over more than nine words: some word has less than 1, which is what Wu's penalty counts.
    wide.write_text(
        "Mayor Vulmek opened the city of Qarro and Zoltan opened the old city of Vulmek\n", encoding="utf-8"
    )
    whole = summaries(trained, wide, capsys, *shape)
    for where, scored, changed in (
        (texts, plain, ["--alpha", "0"]), (texts, plain, ["--length-penalty", "power"]),
        (texts, plain, ["--coverage", "5"]), (wide, whole, ["--coverage", "5", "--coverage-form", "wu"]),
    ):  # fmt: skip
        found = summaries(trained, where, capsys, *shape, *changed)
        assert all(one["score"] != other["score"] for one, other in zip(found, scored, strict=True)), changed
    summed = summaries(trained, texts, capsys, *shape, "--coverage", "5")
    assert summed == summaries(trained, texts, capsys, *shape, "--coverage", "5", "--coverage-form", "summary")
    free = summaries(trained, texts, capsys, *shape)
    assert any(len(set(one["words"])) < len(one["words"]) for one in free)  # it knows little yet, and repeats itself
    for one in summaries(trained, texts, capsys, *shape, "--no-repeat", "1"):
        assert len(set(one["words"])) == len(one["words"]) == 8
    often = max(free, key=lambda one: len(one["words"]) - len(set(one["words"])))
    word = max(often["words"], key=often["words"].count)
    allowed = summaries(trained, texts, capsys, *shape, "--no-repeat", "1", "--repeatable", word)
    assert allowed[free.index(often)]["words"].count(word) > 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--coverage-form", "wu"], "--coverage-form says how --coverage counts"),
        (["--coverage-form", "summary"], "add it, such as --coverage 5"),
        (["--repeatable", "the"], "--repeatable names exceptions of --no-repeat"),
        (["--length-penalty", "long"], "there is no length penalty 'long'"),
        (["--alpha", "99"], "alpha must be from -10 to 10"),
    ],
)
def test_an_option_without_effect_is_refused(trained: Path, tmp_path: Path, capsys, options, said) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("a text .\n", encoding="utf-8")
    capsys.readouterr()
    assert command("summarise", str(trained), str(texts), *options) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1


def test_evaluate_executes_plugins_and_sets_threads_and_refuses_what_it_does_not_do(
    trained: Path, tmp_path: Path, capsys
) -> None:
    marker, plugin = tmp_path / "was executed", tmp_path / "plugin.py"
    plugin.write_text(f"open({str(marker)!r}, 'w').close()\n", encoding="utf-8")
    usual = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        shape = ["--size", "3", "--beam", "1", "--samples", "37"]
        assert command("evaluate", str(trained), *shape, "--plugin", str(plugin), "--threads", "1") == 0
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(usual)
    assert marker.exists()
    assert "of 37 bootstrap samples" in " ".join(capsys.readouterr().out.split())
    assert command("evaluate", str(trained), "--quick") == 2
    assert "--quick belongs to runs that translate" in capsys.readouterr().err
    assert command("evaluate", str(trained), "--plugin", str(tmp_path / "nowhere.py")) == 2
    assert "There is no plugin file" in capsys.readouterr().err
    refuse_samples("summarisation", 5)
    with pytest.raises(InputError, match="--samples is for text"):
        refuse_samples("captioning", 5)


def test_a_decoder_without_attention_has_rouge_but_no_alignment_error(tmp_path: Path, capsys) -> None:
    keys = [*SMALL, *SIZES, *QUIET, "train.max_steps=2", "model.decoder.attention=none", "model.head.own=true"]
    assert command("train", *keys, "--out", str(tmp_path / "bare")) == 0
    capsys.readouterr()
    assert command("evaluate", str(tmp_path / "bare"), "--size", "4", "--beam", "1", "--json") == 0
    tree = json.loads(capsys.readouterr().out)
    assert tree["systems"][0]["rougeL"]["value"] >= 0
    assert "aer" not in tree
    attending = load(tmp_path / "bare")
    assert attending.summarise("a text .", options=Options(beam=2, max_length=4)).weights is None


def test_data_check_reads_the_newsbook(capsys) -> None:
    assert command("data", "check", "task=summarisation", "data.newsbook_size=150", "data.held_out=10") == 0
    said = capsys.readouterr().out
    assert "newsbook" in said
    assert "150" in said
    assert "phrasebook" not in said
