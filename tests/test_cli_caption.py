"""`jumok caption` and `jumok evaluate` of runs that describe pictures, as a user calls them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from jumok.cli.korean_errors import in_korean
from jumok.data.images import png_bytes, read_image
from jumok.data.picturebook import caption_of, draw, generate
from jumok.run import manifest

# A lesson's model that comes with Jumok: it names what it sees.
RUN = Path(__file__).parents[1] / "src/jumok/studio/models/picture"
SCENES = list(generate("test", 3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The first test scenes as PNG files and a list of their captions, some in capitals."""
    place = tmp_path_factory.mktemp("scenes")
    rows = []
    for number, (scene, pixels) in enumerate(zip(SCENES, draw(SCENES), strict=True)):
        (place / f"{number}.png").write_bytes(png_bytes(pixels))
        rows.append(f"{number}.png\t{caption_of(scene, 'en').text.upper()}\tsomething else")
    (place / "list.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return place


@pytest.fixture
def caption(call, folder, monkeypatch):
    """What `jumok caption` prints about the first scene, as JSON."""
    monkeypatch.chdir(folder)

    def ask(*options):
        code, out, err = call("caption", RUN, "0.png", "--json", *options)
        assert code == 0, err
        return json.loads(out)

    return ask


def test_what_a_caption_must_and_must_not_say(caption):
    free = caption()
    word = free["words"][-1]
    assert word not in caption("--forbid", word)["words"]
    assert caption("--prefix", "There are")["text"].startswith("There are")
    assert "star" in caption("--require", "star", "--forbid", word)["words"]
    assert len(caption("--length", "4")["words"]) == 4
    assert len(caption("--max-length", "3", "--beam", "1")["token_log_probs"]) <= 4
    assert len(caption("--min-length", "14", "--unknown", "forbid")["token_log_probs"]) > 14
    longest = caption("--min-length", "14", "--no-repeat", "1", "--repeatable", "a")["words"]
    assert len(set(longest) - {"a"}) == len([one for one in longest if one != "a"])


def test_draws_follow_the_seed(caption):
    hot = ("--sample", "--temperature", "5", "--seed")
    assert caption(*hot, "3")["text"] == caption(*hot, "3")["text"]
    assert len({caption(*hot, seed)["text"] for seed in ("1", "2", "3")}) > 1
    for narrow in (("--top-k", "1"), ("--top-p", "0.000001")):
        assert caption(*hot, "3", *narrow)["text"] == caption("--beam", "1")["text"]


def test_scores_follow_the_penalties_and_the_beam_is_shown(caption):
    plain = caption("--length-penalty", "none")
    assert plain["score"] == pytest.approx(plain["log_prob"])
    assert caption("--alpha", "1.5")["score"] != pytest.approx(caption()["score"])
    assert caption("--coverage", "2")["score"] < caption()["score"]
    tree = caption("--tree", "--beam", "3")
    assert {node["state"] for node in tree["beam"]} >= {"kept", "finished"}
    assert "beam" not in caption()


def test_runs_are_averaged_on_a_device_with_so_many_threads(caption):
    alone = caption()
    both = caption("--ensemble", str(RUN), "--device", "cpu", "--threads", "1")
    assert both["text"] == alone["text"]
    assert both["log_prob"] == pytest.approx(alone["log_prob"], abs=1e-4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--unknown copy", "no words to copy"),
        ("--length 10%..20%", "given in words"),
        ("--tree", "add --json"),
        ("--repeatable a", "--no-repeat"),
        ("--sample --tree --json", "no beam"),
        ("--forbid blue --prefix blue", "forbidden"),
        ("--device nowhere", "cannot be used"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_in_both_languages(call, folder, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    code, out, err = call("caption", RUN, "0.png", *words.split())
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1, err
    assert said in err
    told = err.strip().removeprefix("error: ")
    assert in_korean(told) != told


def test_the_light_is_drawn_smooth_or_region_by_region(call, folder, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    drawn = {}
    for name, options in (("regions", []), ("smooth", ["--smooth"])):
        code, _, err = call("caption", RUN, "0.png", "--plot", tmp_path / f"{name}.png", *options)
        assert code == 0, err
        drawn[name] = read_image(tmp_path / f"{name}.png")
    assert drawn["smooth"].shape == drawn["regions"].shape
    # A region is as light as its weight; a smooth light takes many values between two regions.
    shades = {name: len(np.unique(pixels.reshape(-1, 3), axis=0)) for name, pixels in drawn.items()}
    assert shades["smooth"] > 2 * shades["regions"]


def test_a_run_is_measured_on_both_splits_with_the_effect_of_what_words_look_at(call, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = call("evaluate", RUN, "--size", "6", "--beam", "2", "--json", "--html", page)
    assert code == 0, err
    test, compose = json.loads(out)["captions"]
    assert [test["test"], compose["test"]] == ["picturebook en test", "picturebook en compose"]
    assert test["scores"]["captions"] == compose["scores"]["captions"] == 6
    assert test["scores"]["exact"] > 0
    assert test["regions"]["all"]["pointing"] > 0.5
    assert set(test["effects"]) == set(test["regions"])
    assert test["effects"]["all"]["attended"] > test["effects"]["all"]["elsewhere"]
    assert compose["effects"] == {}
    for name in ("BLEU-2", "BLEU-3", "log p lost, attended", "picturebook en compose"):
        assert name in page.read_text(encoding="utf-8")


def test_a_run_is_measured_on_a_list_of_ones_own(call, folder):
    code, out, err = call("evaluate", RUN, "--source", folder / "list.tsv", "--json")
    assert code == 0, err
    (found,) = json.loads(out)["captions"]
    assert found["test"] == "list.tsv"
    assert found["plain"] is True
    assert found["scores"]["captions"] == len(SCENES)
    assert found["scores"]["exact"] > 0, "capitals are read as lower case"
    assert "case:lc" in found["scores"]["signature"]
    code, out, _ = call("evaluate", RUN, "--source", folder / "list.tsv", "--beam", "1")
    assert "without punctuation" in " ".join(out.split())


def test_a_list_with_a_picture_without_caption_is_refused_before_anything_is_described(call, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("jumok.tasks.captioning.measure.evaluate_pictures", pytest.fail)
    (folder / "silent.tsv").write_text("0.png\tA star.\n1.png\t\n", encoding="utf-8")
    code, _, err = call("evaluate", RUN, "--source", "silent.tsv")
    assert code == 2
    assert "silent.tsv has pictures without a caption to compare with: 1.png." in err
    assert "silent.tsv에 비교할 설명이 없는 그림이 있습니다: 1.png" in in_korean(err.removeprefix("error: ").strip())


def test_a_run_with_a_test_split_is_measured_on_that_split_and_on_lists_without_splits(call, folder, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(RUN, run)
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["data"]["test_split"] = "held"
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")
    manifest.write(run)
    rows = [{"file": f"{n}.png", "caption": "A star.", "split": split} for n, split in enumerate(("held", "rest"))]
    (folder / "split.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name, count in (("list.tsv", len(SCENES)), ("split.jsonl", 1)):
        code, out, err = call("evaluate", run, "--source", folder / name, "--json")
        assert code == 0, err
        assert json.loads(out)["captions"][0]["scores"]["captions"] == count


def test_the_tables_of_scores_fit_a_terminal(call, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = call("evaluate", RUN, "--size", "3", "--beam", "1")
    assert code == 0, err
    assert "…" not in out
    for name in ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr-D", "exact (%)", "pointing"):
        assert name in out
