"""Captions: a run is trained, described and used; its words look at regions of a grid."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

import jumok
from jumok.config import nest, resolve, with_keys
from jumok.data.images import png_bytes, read_image, write_store
from jumok.data.images.augment import Augmentation, augment
from jumok.data.picturebook import Caption as Gold
from jumok.data.picturebook import caption_of, draw, generate
from jumok.decoding.length import Length
from jumok.decoding.options import Options, Sampling
from jumok.errors import ConfigError, DataError, InputError
from jumok.evaluation.regions import attended_cells
from jumok.inspect.what_if import Erase, Plan, SetWeight, plan_edits
from jumok.models.layout import Grid
from jumok.run.folder import read_config
from jumok.tasks import find_task
from jumok.tasks.captioning.evaluating import word_effects
from jumok.tasks.captioning.measure import Measured
from jumok.tasks.captioning.shown import Shown
from jumok.tasks.training import begin

TINY = {
    "task": "captioning",
    "data.picturebook_size": 120,
    "data.held_out": 20,
    "model.frontend.channels": [8, 8, 16],
    "model.encoder.size": 16,
    "model.decoder.size": 16,
    "model.embedding": 16,
    "train.max_steps": 4,
    "train.validate_every": 4,
    "train.batch_tokens": 256,
    "runtime.threads": 1,
}


HARD = {"model.decoder.attention": "hard"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return jumok.train(TINY, out=tmp_path_factory.mktemp("runs") / "tiny", progress=False)


@pytest.fixture(scope="module")
def pixels():
    return draw(generate("test", 3))


def test_each_word_looks_at_the_regions_of_the_picture(model, pixels):
    caption = model.caption(pixels[0], nbest=2)
    assert caption.layout == Grid(8, 8)
    assert caption.weights.shape == (len(caption.words), 8, 8)
    np.testing.assert_allclose(caption.weights.sum((1, 2)), 1, atol=1e-5)
    assert str(caption) == " ".join(caption.words) == caption.text
    assert caption.alternatives[0].score <= caption.score


def test_pictures_together_are_described_as_alone(model, pixels):
    together = model.caption_all(list(pixels), Options(beam=2))
    assert [one.text for one in together] == [model.caption(one, beam=2).text for one in pixels]


def test_the_inspector_replays_steps_and_edits_a_picture(model, pixels):
    inspector = model.inspector
    sight = inspector.look_at(pixels[0])
    ids = inspector.search(Plan(sight), beam=2).best[0].ids
    read = inspector.replay(Plan(sight), ids)
    assert read.cross[0].shape == (1, len(ids) + 1, 64)
    step = inspector.step(Plan(sight), ids[:1])
    np.testing.assert_allclose(step.look(-1).weights.ravel(), read.cross[0][0, 1], atol=1e-6)
    assert 0 < step.decoder["gate"].value < 1
    edits = [SetWeight(at=1, source=3, value=0.9), Erase(5, "mask"), Erase(6, "remove"), Erase(7, "unknown")]
    changed = plan_edits(inspector, sight, edits, ids)
    rows = inspector.replay(changed, ids).cross[0][0]
    assert rows[0, 5] == 0
    assert rows[1, 3] == pytest.approx(0.9)
    assert inspector.effects(read, "mask").shape == (len(ids) + 1, 64)


def test_a_caption_as_json_has_the_exact_grid_and_draws_itself(model, pixels):
    caption = model.caption(pixels[1], attention=True)
    tree = json.loads(json.dumps(caption.as_dict()))
    np.testing.assert_array_equal(np.array(tree["weights"], np.float32), caption.weights.astype(np.float32))
    assert tree["layout"]["shape"] == [8, 8]
    assert len(tree["attention"]["cross"][0][0]) == len(caption.found.ids) + 1
    assert caption._repr_svg_().startswith("<?xml")
    assert caption.terminal(80).count("▀") == 20 * 10 * len(caption.words)


def test_constraints_sampling_and_ensembles_are_the_translators(model, pixels):
    begun = model.caption(pixels[0], options=Options(beam=2, prefix="There are"))
    assert begun.text.startswith("There are")
    assert "big" not in model.caption(pixels[0], options=Options(beam=2, forbid=("big",))).words
    drawn = [model.caption(pixels[0], options=Options(nbest=2, beam=2, sampling=Sampling(seed=3))) for _ in range(2)]
    assert drawn[0].text == drawn[1].text
    pair = jumok.load(model.run.path, ensemble=[model.run.path])
    np.testing.assert_allclose(
        pair.caption(pixels[0], beam=1).log_prob, model.caption(pixels[0], beam=1).log_prob, atol=1e-4
    )


def test_the_command_prints_captions_and_draws_the_strip(model, pixels, tmp_path):
    file, run = str(tmp_path / "0.png"), str(model.run.path)
    (tmp_path / "0.png").write_bytes(png_bytes(pixels[0]))
    printed = subprocess.run(
        [sys.executable, "-m", "jumok", "caption", run, file, "--plot", str(tmp_path / "strip.png"), "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(printed.stdout)["text"] == model.caption(file).text
    assert read_image(tmp_path / "strip.png").shape[2] == 3


def test_pictures_of_ones_own_are_learned_with_several_captions(tmp_path, pixels):
    lines = []
    for number, one in enumerate(draw(generate("train", 40))):
        (tmp_path / f"{number}.png").write_bytes(png_bytes(one))
        lines.append(f"{number}.png\ta thing {number % 3}\tthing {number % 5}")
    (tmp_path / "broken.png").write_bytes(b"no picture")
    (tmp_path / "list.tsv").write_text("\n".join([*lines, "broken.png\tno", "absent.png\tno"]), encoding="utf-8")
    own = {"data.images": str(tmp_path), "data.captions": str(tmp_path / "list.tsv"), "text.kind": "words"}
    tiny = {key: value for key, value in TINY.items() if key != "data.picturebook_size"}
    said = []
    training = begin(resolve(nest({**tiny, **own})), set(own), tmp_path / "run", said.append)
    assert list(training)[-1].reason == "steps"
    assert any("broken.png" in text and "absent.png" in text for text in said)
    assert jumok.load(tmp_path / "run").caption(pixels[0]).weights.shape[1:] == (8, 8)


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ({"model.frontend.kind": "words"}, "reads no pictures"),
        ({"model.head.kind": "pointer"}, "a picture has none"),
        ({"train.guided_alignment": 1.0}, "pictures have none"),
        ({"model.frontend.kind": "pretrained", "data.crop": 0.5}, "fine_tune=true"),
        ({"data.images": "there"}, "belong together"),
        ({"train.entropy": 0.1}, "draws by reward"),
        ({"train.stop_metric": "exact", "train.validate_size": 0}, "needs decoding"),
        ({"runtime.loader": "process"}, "is for text"),
        ({"train.stop_metric": "chrf"}, "'exact'"),
        ({"model.tie_source": True}, "a picture has none"),
        ({"model.reverse_source": True}, "a picture has none"),
        ({"train.pictures": 5}, "alignments of text"),
        ({**HARD, "train.doubly_stochastic": 1.0}, "no gradient through draws"),
        ({**HARD, "model.decoder.attention_options.temperature": 0.5}, "is for estimator=gumbel"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_any_picture_is_drawn(keys, refused, tmp_path):
    base = {key: value for key, value in TINY.items() if not key.startswith("model.frontend")}
    with pytest.raises(ConfigError, match=refused):
        jumok.train({**base, **keys}, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "weight"), [({}, 0), ({"expected": 0.3}, 1), ({"estimator": "gumbel"}, 1), ({"decode": "expected"}, 0)]
)
def test_a_preset_asks_nothing_of_draws_that_has_no_gradient(options, weight):
    keys = {f"model.decoder.attention_options.{name}": value for name, value in options.items()}
    tree = nest({"task": "captioning", **HARD, **keys})
    written = [f"{key}={value}" for key, value in {**HARD, **keys}.items()]
    for config in (resolve(tree), resolve({"task": "captioning"}, written)):
        assert config.train.doubly_stochastic == weight
        find_task("captioning").check_recipe(config)
    assert resolve({"task": "captioning"}).train.doubly_stochastic == 1


def test_an_old_run_with_keys_that_nothing_heeds_is_loaded_and_goes_on(tmp_path, pixels):
    short = {"train.max_steps": 1, "train.validate_every": 1, "train.save_every": 1}
    jumok.train({**TINY, **HARD, **short}, out=tmp_path / "old", progress=False)
    idle = {"train.doubly_stochastic": 1.0, "train.pictures": 7, "model.reverse_source": True}
    idle |= {"model.decoder.attention_options": {"temperature": 0.5}}
    config = with_keys(read_config(tmp_path / "old"), idle)
    find_task("captioning").rewrite(tmp_path / "old", config)
    assert jumok.load(tmp_path / "old").caption(pixels[0]).layout == Grid(8, 8)
    *_, last = jumok.start_training({"train.max_steps": 2}, resume=tmp_path / "old")
    assert last.step == 2


def test_hard_attention_starts_from_a_soft_run(model, tmp_path, pixels):
    keys = {**TINY, **HARD, "train.init_from": str(model.run.path), "train.max_steps": 1, "train.validate_every": 1}
    said: list[str] = []
    list(begin(resolve(nest(keys)), set(keys), tmp_path / "hard", said.append))
    (started,) = [text for text in said if text.startswith("Started from")]
    taken, of = re.search(r"(\d+) of (\d+) weights", started).groups()
    assert taken == of
    assert "new:" not in started
    caption = jumok.load(tmp_path / "hard").caption(pixels[0], beam=1)
    assert (np.sort(caption.weights.reshape(len(caption.words), -1))[:, -1] == 1).all(), "each word looks at one region"


def test_lower_cased_captions_are_measured_against_lower_cased_ones(tmp_path):
    keys = {**TINY, "text.lowercase": True, "train.max_steps": 1, "train.validate_every": 1}
    lower = jumok.train(keys, out=tmp_path / "lower", progress=False)
    gold = [caption_of(scene, "en") for scene in generate("test", 4)]
    assert any(one.text != one.text.lower() for one in gold)
    right = [lower.caption(pixels, beam=1) for pixels in draw(generate("test", 4))]
    written = [
        replace(one, text=known.text.lower(), words=tuple(known.text.lower().split()), weights=None)
        for one, known in zip(right, gold, strict=True)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(lower), "caption_stream", lambda self, pictures, options: iter(written))
        assert lower.evaluate(size=4, beam=1).scores.exact == 100


def test_a_share_of_the_sources_words_is_refused(model, pixels):
    with pytest.raises(InputError, match="given in words"):
        model.caption(pixels[0], options=Options(length=Length.parse("10%..20%")))
    words = model.caption(pixels[0], options=Options(length=Length.parse("3"))).words
    assert len(words) == 3


def test_plain_scores_say_that_they_are(model, pixels):
    texts = [model.caption(one, beam=1).text for one in pixels]
    found = model.evaluate(list(pixels), [[text.upper() + "!"] for text in texts], beam=1, plain=True)
    assert found.scores.exact == 100
    assert found.as_dict()["plain"] is True
    scorer = BLEU(tokenize="none", lowercase=True, force=True)
    scorer.corpus_score(texts, [texts])
    assert found.scores.signature == str(scorer.get_signature())
    as_they_are = model.evaluate(list(pixels), [[text.upper()] for text in texts], beam=1)
    assert as_they_are.scores.exact == 0
    assert "case:mixed" in as_they_are.scores.signature
    told = Measured((found, as_they_are)).tables()[1].caption.splitlines()
    assert told[0].endswith("without punctuation")
    assert told[1].endswith(as_they_are.scores.signature)


def test_a_run_measures_itself_with_every_score(model, pixels):
    found = model.evaluate(size=12, beam=1)
    assert found.scores.captions == 12
    assert set(found.exact_by_things) <= {1, 2, 3, 4}
    own = model.evaluate(list(pixels), [[model.caption(one, beam=1).text, "other"] for one in pixels], beam=1)
    assert own.scores.exact == 100
    scores, bleu = Measured((found,)).tables()[:2]
    assert scores.rows[0][:2] == ("tiny, picturebook en test", f"{found.scores.exact:.1f}")
    assert scores.columns[2:4] == ("ROUGE-L", "CIDEr-D")
    assert scores.rows[0][2:4] == (f"{found.scores.rouge_l:.1f}", f"{found.scores.cider_d:.2f}")
    assert bleu.rows[0][0] == "tiny, picturebook en test"
    assert bleu.columns[1:5] == ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
    assert bleu.rows[0][1:5] == tuple(f"{value:.1f}" for value in found.scores.bleu)


def test_the_effect_of_a_word_is_what_its_log_probability_loses(model, pixels):
    caption = model.caption(pixels[0], beam=1)
    gold = Gold(caption.words, ((0,),) * len(caption.words), ("shape",) * len(caption.words))
    effects = word_effects(model, caption, gold)
    assert len(effects) == len(caption.words)
    inspector = model.inspector
    cells = attended_cells(caption.weights[0])
    without = inspector.look_at(caption.pixels_HW3).without_regions(np.flatnonzero(cells).tolist(), "remove")
    sights = (inspector.look_at(pixels[0]), without)
    lost = [inspector.replay(Plan(one), caption.found.ids).log_probs[0] for one in sights]
    assert effects[0][1].attended == pytest.approx(lost[0] - lost[1], abs=1e-6)


def test_the_best_weights_may_be_those_of_the_most_exact_captions(tmp_path):
    keys = {"train.stop_metric": "exact", "train.max_steps": 1, "train.validate_every": 1}
    *_, last = jumok.start_training({**TINY, **keys}, out=tmp_path / "run")
    assert last.best_metric == "exact"


def test_runs_of_other_pictures_share_a_cache_without_replacing_each_other(tmp_path):
    keys = {**TINY, "data.cache": str(tmp_path / "cache"), "train.max_steps": 1}
    for name, size in (("first", 120), ("second", 130), ("third", 120)):
        jumok.train({**keys, "data.picturebook_size": size}, out=tmp_path / name, progress=False)
    assert len(list((tmp_path / "cache").iterdir())) == 2
    jumok.train({"train.max_steps": 2}, resume=tmp_path / "first", progress=False)


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DataError, match="cannot be created"):
        jumok.train({**TINY, "data.cache": str(tmp_path / "file" / "cache")}, out=tmp_path / "run", progress=False)


def test_a_frozen_backbone_shows_mirrored_pictures_where_pixels_would_be_mirrored(tmp_path, pixels):
    how, numbers = Augmentation(flip=0.5), np.arange(60)
    plain_HW3 = np.stack(pixels[:2])[numbers % 2]
    stores = [
        write_store(tmp_path / name, name, rows.shape[1:], iter(rows))
        for name, rows in (("pixels", plain_HW3), ("mirrored", plain_HW3[:, :, ::-1]))
    ]
    # The "features" of a picture are its pixels, so that what is shown can be compared with augmented pixels.
    shown = Shown(stores[0], stores[0], stores[1])
    for epoch in range(3):
        states = shown.changed(numbers, how, seed=5, epoch=epoch, numbers=numbers).states_BSE
        expected = [augment(one, how, 5, epoch, int(n)) for one, n in zip(plain_HW3, numbers, strict=True)]
        assert (states.numpy() == np.stack(expected)).all()
        assert 0 < sum((one != two).any() for one, two in zip(expected, plain_HW3, strict=True)) < len(numbers)
    assert (shown.source(numbers).states_BSE.numpy() == plain_HW3).all()
