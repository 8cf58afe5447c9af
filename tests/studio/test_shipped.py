"""The models that come with Jumok: small, whole, without traces of a machine, and good enough for their lessons."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from jumok.config import resolve
from jumok.data.phrasebook import Example, generate
from jumok.data.phrasebook.lexicon import ADJECTIVES
from jumok.data.picturebook import draw
from jumok.decoding.run import load_run
from jumok.evaluation.chances import mean_chances, word_chances
from jumok.inspect.inspector import Inspector
from jumok.inspect.what_if import Plan
from jumok.run import manifest
from jumok.run.folder import read_config
from jumok.shapes import UNK
from jumok.studio.lesson_models import CAPTIONS, MODELS, PAIR, RECIPE, SHIPPED, recipe
from jumok.studio.lessons import LESSONS, sentences
from jumok.studio.pictures import scene_named
from jumok.tasks.captioning.evaluating import evaluate_scenes
from jumok.tasks.captioning.model import load as load_captions
from tests.test_terms import unnamed

MEGABYTE = 1_000_000
TRANSLATORS = [name for name, model in MODELS.items() if model.base is RECIPE]
DESCRIBERS = [name for name, model in MODELS.items() if model.base is CAPTIONS]


@pytest.fixture(scope="module")
def runs():
    return {name: load_run(SHIPPED / name) for name in TRANSLATORS}


def ids(run, example: Example):
    return run.source_tokenizer.encode(example.source), run.target_tokenizer.encode(example.target)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_small_and_intact(name):
    folder = SHIPPED / name
    assert set(manifest.verify(folder).values()) == {"intact"}
    assert (folder / "model.safetensors").stat().st_size <= MEGABYTE
    types = {value.dtype for value in load_file(folder / "model.safetensors").values() if value.is_floating_point()}
    assert types == {torch.float16}
    config = json.loads((folder / "config.json").read_text())
    start = MODELS[name].starts_from
    assert config["train"]["init_from"] == start
    assert not any(text.startswith("/") for text in strings(config)), "a path of the machine it was trained on"


def strings(tree):
    """Every text in a JSON tree."""
    if isinstance(tree, dict):
        return [text for value in tree.values() for text in strings(value)]
    if isinstance(tree, list):
        return [text for value in tree for text in strings(value)]
    return [tree] if isinstance(tree, str) else []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_was_made_by_its_recipe(name):
    start = MODELS[name].starts_from
    made = resolve({}, recipe(MODELS[name], 1, None if start is None else Path(start)))
    assert read_config(SHIPPED / name).model_dump() == made.model_dump()


def test_it_computes_in_full_precision(runs):
    assert all(p.dtype == torch.float32 for run in runs.values() for p in run.model.parameters())


def test_every_lesson_speaks_of_words_its_models_know(runs):
    for lesson, models in LESSONS:
        for name in set(models) & set(TRANSLATORS):
            source, target = ids(runs[name], sentences()[lesson])
            assert UNK not in source, (lesson, name)
            assert UNK not in target, (lesson, name)


def terms_of_a_step(inspector: Inspector, subject) -> set[str]:
    """The names of everything the step player shows of the first step."""
    step = inspector.step(Plan(subject), [])
    looks = [step.look(layer) for layer in range(len(inspector.looks))]
    return {*step.decoder, *step.head, *(name for look in looks for name in look.terms)}


@pytest.mark.parametrize("name", TRANSLATORS)
def test_every_number_of_a_translators_step_has_a_name(name, runs):
    inspector = Inspector(runs[name])
    shown = terms_of_a_step(inspector, inspector.read("I go home."))
    assert {"state", "output"} <= shown
    assert unnamed(shown) == set()


@pytest.mark.parametrize("name", DESCRIBERS)
def test_every_number_of_a_describers_step_has_a_name(name):
    inspector, scene = load_captions(SHIPPED / name).inspector, scene_named("picturebook-test-1-0")
    assert scene is not None
    shown = terms_of_a_step(inspector, inspector.look_at(draw([scene])[0]))
    assert "gate" in shown
    assert unnamed(shown) == set()


def curve(run, shown):
    """Mean probability of a right word for short, middle and long sentences."""
    rows = word_chances(run.model, [ids(run, one) for one in shown])
    lengths = [min(2, len(one.source.split()) // 7) for one in shown]
    return [m.mean for m in mean_chances((n, p) for n, row in zip(lengths, rows, strict=True) for p in row)]


def test_the_bottleneck_shows_without_attention_only(runs):
    shown = list(generate(PAIR, "test", 300))
    none, additive = curve(runs["none"], shown), curve(runs["additive"], shown)
    assert none == sorted(none, reverse=True)
    assert none[-1] < 0.75 * none[0]
    assert additive[-1] > 0.88 * additive[0]
    assert min(additive) > max(none)


def test_the_predicted_centre_misses_the_last_word_and_compared_scores_do_not(runs):
    """The lesson on local attention says so of its models: the last word is written while looking most at `</s>`."""
    shown = list(generate(PAIR, "test", 60))
    ends = {
        name: sum(looks_at_end(Inspector(runs[name]), one) for one in shown) for name in ("additive", "hard", "local")
    }
    assert ends["local"] > 0.7 * len(shown)
    assert max(ends["additive"], ends["hard"]) < 0.05 * len(shown)


def looks_at_end(inspector: Inspector, example: Example) -> bool:
    """Whether the last word of the translation looks most at the end of the source."""
    found = inspector.replay(
        Plan(inspector.read(example.source)), inspector.run.target_tokenizer.encode(example.target)
    )
    last_S = found.cross[0].mean(0)[len(found.ids) - 1]
    return bool(last_S.argmax() == len(last_S) - 1)


def test_reading_backwards_helps_most_at_the_beginning(runs):
    shown = list(generate(PAIR, "test", 300))
    rows = [word_chances(runs[name].model, [ids(runs[name], one) for one in shown]) for name in ("none", "reversed")]
    gain = [sum(row[0] for row in rows[1]) - sum(row[0] for row in rows[0])]
    gain.append(sum(row[4] for row in rows[1] if len(row) > 4) - sum(row[4] for row in rows[0] if len(row) > 4))
    assert gain[0] > gain[1]
    assert gain[0] / len(shown) > 0.02


def described_objects(shown):
    """Short sentences like `She is eating a green apple.`, each with the place of its verb."""
    for one in shown:
        words = one.source.rstrip(".?").split()
        verbs = (
            place
            for place, word in enumerate(words[:-3])
            if word.endswith("ing") and words[place + 1] in ("a", "an", "the", "this", "my")
        )
        place = next((place for place in verbs if words[place + 2] in ADJECTIVES), None)
        if place is not None and len(words) <= 11:
            yield one.source, place


def test_one_head_of_eight_looks_from_verbs_at_their_objects_and_less_at_the_adjective_before_them(runs):
    """The lesson on self-attention says so of the first head of the second layer, and that new sentences show it."""
    inspector = Inspector(runs["transformer"])
    noun, adjective, back = [], [], []
    for text, verb in described_objects(generate(PAIR, "test", 6000)):
        layers = inspector.memories.of(inspector.read(text)).attention
        maps = torch.stack([layer[0] for layer in layers])
        noun.append(maps[:, :, verb, verb + 3])
        adjective.append(maps[:, :, verb, verb + 2])
        back.append(maps[:, :, verb + 3, verb + 2])
    assert len(noun) > 20
    to_noun, to_adjective, to_own = (torch.stack(found).mean(0) for found in (noun, adjective, back))
    assert to_noun[1, 0] > 2 * to_adjective[1, 0]
    assert to_own[1, 0] > 0.9
    assert (torch.stack(noun) > torch.stack(adjective)).float().mean(0)[1, 0] > 0.8
    others = torch.ones(2, 4, dtype=torch.bool)
    others[1, 0] = False
    assert to_noun[others].max() < to_noun[1, 0] / 2
    assert to_own[others].max() < 0.3


@pytest.mark.parametrize("name", DESCRIBERS)
def test_the_words_of_a_caption_look_at_what_they_name(name):
    found = evaluate_scenes(load_captions(SHIPPED / name), "test", 200, name=name, beam=1)
    assert found.scores.exact > 85
    assert found.regions["all"]["pointing"] > 0.85  # "about nine of ten", says the lesson
