"""What a user meets at the edges of `caption`, `generate`, `classify` and `play`: one sentence, and code 2."""

import io
import json

import pytest

import jumok
from jumok.cli.korean_errors import in_korean
from jumok.output import takes_colour
from jumok.tasks.bandits.model import _score


@pytest.fixture
def there(picture_runs, call, monkeypatch):
    """`there("…")` runs a command in the folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(picture_runs)
    return lambda words: call(*words.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("caption captions absent.png", "absent.png cannot be read"),
        ("caption captions text.png", "text.png is not a picture"),
        ("caption captions support", "is not a file"),
        ("caption episodes picture.png", "use `jumok classify episodes`"),
        ("translate captions text.png", "use `jumok caption captions`"),
        ("align captions text.png text.png", "use `jumok caption captions`"),
        ("score captions text.png text.png", "use `jumok caption captions`"),
        ("summarise captions text.png", "use `jumok caption captions`"),
        ("summarise worlds text.png", "use `jumok play worlds`"),
        ("translate drawing text.png", "use `jumok generate drawing`"),
        ("export worlds --out elsewhere", "use `jumok play worlds`"),
        ("evaluate drawing", "use `jumok generate drawing`"),
        ("run calibrate episodes", "use `jumok classify episodes`"),
        ("adapt captions --source text.png --target text.png", "use `jumok caption captions`"),
        ("evaluate captions --reference text.png", "--reference is for text"),
        ("evaluate captions --tokenize words", "--tokenize is for text"),
        ("caption empty picture.png", "is not a run folder"),
        ("caption captions picture.png --plot strip.gif", ".svg or .png"),
        ("caption captions picture.png --smooth", "--plot"),
        ("caption captions picture.png --attention", "--json"),
        ("generate drawing --label nobody", "Unknown class 'nobody'"),
        ("generate captions", "does not draw pictures"),
        ("generate drawing --out sheet.jpg", ".png"),
        ("generate drawing --out /proc/nowhere/sheet.png --count 2", "could not be written"),
        ("generate drawing --nearest 2 --columns 3", "--columns"),
        ("generate drawing --attention --columns 3", "--columns"),
        ("generate drawing --attention --count 257", "from 1 to 256"),
        ("classify episodes picture.png --support empty", "holds no pictures"),
        ("classify episodes picture.png --support absent", "is not a folder"),
        ("classify episodes text.png --support support", "text.png is not a picture"),
        ("classify drawing picture.png --support support", "does not classify"),
        ("play captions", "does not play"),
        ("evaluate captions --source absent.tsv", "absent.tsv"),
    ],
)
def test_odd_input_is_one_sentence(there, words, said):
    code, _, err = there(words)
    assert code == 2, err
    assert len(err.strip().splitlines()) == 1, err
    assert said in err


@pytest.mark.parametrize(
    "words",
    [
        "caption captions absent.png",
        "caption captions text.png",
        "caption captions support",
        "caption episodes picture.png",
        "caption captions picture.png --smooth",
        "caption captions picture.png --attention",
        "caption captions picture.png picture.png --plot strip.svg",
        "summarise captions text.png",
        "summarise news absent.txt",
        "summarise news text.png --length long",
        "classify episodes picture.png --support absent",
        "classify episodes text.png --support support",
        "generate drawing --label nobody",
        "generate drawing --out sheet.jpg",
    ],
)
def test_what_a_user_mistypes_is_said_in_korean_too(there, words):
    _, _, err = there(words)
    said = err.strip().removeprefix("error: ")
    assert in_korean(said) != said


@pytest.mark.parametrize(
    "words", ["caption captions picture.png --beam 0", "generate drawing --count 0", "play worlds --episodes 0"]
)
def test_numbers_below_one_are_refused(there, words):
    code, _, err = there(words)
    assert code == 2
    assert "greater than or equal to 1" in err


def test_a_caption_without_words_is_printed_and_has_nothing_to_draw(picture_runs):
    from dataclasses import replace

    caption = jumok.load(picture_runs / "captions").caption(picture_runs / "picture.png")
    silent = replace(caption, text="", words=(), weights=caption.weights[:0])
    assert silent.matrix.shape == (0, 64)
    assert silent.figure("") is None
    assert silent.terminal() is None


def test_escape_sequences_are_written_to_a_terminal_with_colours_alone(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert takes_colour(Terminal())
    assert not takes_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not takes_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not takes_colour(Terminal())


def test_answers_that_cannot_be_drawn_are_printed_all_the_same(there):
    code, out, err = there("classify episodes " + "picture.png " * 21 + "--support support --plot answers.png")
    assert code == 2
    assert "1 to 20 answers" in err
    assert out.count("picture.png: ") == 21


def test_an_episode_is_printed_as_json_too(there):
    code, out, err = there("play worlds --show 2 --json")
    assert code == 0, err
    episode = json.loads(out)
    assert len(episode["actions"]) == len(episode["rewards"]) == len(episode["attention"]) == 6
    assert [len(row) for row in episode["attention"]] == [1, 2, 3, 4, 5, 6]


def test_a_share_of_nothing_is_not_a_number():
    import torch

    assert _score("anyone", torch.ones(3), 0.0).ratio is None
    assert _score("anyone", torch.ones(3), 2.0).ratio == 0.5
