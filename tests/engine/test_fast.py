"""The compiled engine against the readable decoder: the same tokens, scores and attention for every kind of model."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from jumok.data.phrasebook import generate
from jumok.decoding.features import Feature
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2 import length_penalty
from jumok.engine.loading import why_not_fast
from jumok.engine.search import FastSearcher
from jumok.engine.shortlist import Shortlist, learn_shortlist, load_shortlist
from jumok.engine.structures import WIDEST_BEAM
from jumok.errors import InputError, RunError
from jumok.evaluation.metrics import MetricOptions, score_metric
from jumok.run.folder import tokenizers_of
from jumok.shapes import EOS
from jumok.tasks.translation.model import load
from tests.decoding.exact import exact_outcomes
from tests.decoding.test_engines import ASKING
from tests.decoding.tiny_run import DEV, LINES, make_run
from tests.engine.trained.make_trained import PAIRS
from tests.rounding import assert_rounded

GOLDEN = Path(__file__).parent.parent / "golden"
TRAINED = Path(__file__).parent / "trained"
SOURCES = [source for source, _, _ in DEV[:23]]
KINDS = {
    "rnnsearch": (),
    "luong": ("model.preset=luong",),
    "luong without feeding": ("model.preset=luong", "model.decoder.input_feeding=false"),
    "dot, no readout": (
        "model.decoder.attention=luong-dot", "model.decoder.order=after", "model.decoder.readout=false",
    ),
    "concat, temperature": (
        "model.decoder.attention=luong-concat", "model.decoder.attention_options.temperature=0.7",
    ),
    "scaled dot before": ("model.decoder.attention=scaled_dot", "model.decoder.readout=false"),
    "deep lstm, fed before": (
        "model.encoder.cell=lstm", "model.decoder.cell=lstm", "model.encoder.layers=2", "model.decoder.layers=3",
        "model.decoder.input_feeding=true",
    ),
    "tanh": ("model.encoder.cell=tanh", "model.decoder.cell=tanh", "model.tie_output=false"),
    "no attention": ("model.preset=seq2seq",),
    "no attention, deep and reversed": (
        "model.preset=seq2seq", "model.encoder.layers=2", "model.decoder.layers=2", "model.reverse_source=true",
    ),
    "one direction reversed": ("model.encoder.bidirectional=false", "model.reverse_source=true"),
    "odd sizes": ("model.encoder.size=34", "model.decoder.size=17", "model.embedding=19"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module", params=KINDS)
def pair(request, folder):
    """The same run in both engines."""
    run = make_run(folder / request.param.replace(" ", "-"), *KINDS[request.param])
    return load(run, engine="torch"), load(run, engine="fast", workers=2)


@pytest.mark.parametrize(
    "options",
    [
        Options(beam=1, max_length=17),
        Options(beam=5, max_length=17, nbest=3),
        Options(beam=7, max_length=11, min_length=3, scoring=Scoring("power", 1.0)),
        Options(beam=2, scoring=Scoring("none"), unknown="forbid"),
    ],
)
def test_engine_equals_readable_decoder(pair, options):
    plain, fast = pair
    options = replace(options, attention=True)
    mine, theirs = ([*hypotheses(engine.translate(SOURCES, options=options))] for engine in (fast, plain))
    for one, its, exact in zip(mine, theirs, exact_outcomes(plain.model, theirs), strict=True):
        assert one.ids == its.ids
        assert one.text == its.text
        assert one.target_cut == its.target_cut
        assert one.alignment == its.alignment
        assert_exact(one, exact, options.scoring)
        assert_exact(its, exact, options.scoring)


def hypotheses(found):
    """Every translation with its alternatives, one after the other."""
    return (each for one in found for each in (one, *one.alternatives))


def assert_exact(one, exact, scoring):
    """Its numbers are the exact ones, rounded to float32."""
    exact.assert_log_probs(one.token_log_probs)
    exact.assert_sum(one.log_prob)
    exact.assert_sum(one.score * length_penalty(scoring, len(one.ids) + 1))
    assert_rounded([torch.from_numpy(weights) for weights in one.attention.cross], exact.cross)


def test_batch_mates_and_workers_change_nothing(folder):
    run = make_run(folder / "mates")
    together = load(run, engine="fast", workers=3).translate(SOURCES * 9)
    alone = load(run, engine="fast")
    for source, one in zip(SOURCES * 9, together, strict=True):
        assert alone.translate(source).ids == one.ids


def test_what_the_engine_cannot_do_the_readable_decoder_does(folder):
    run = make_run(folder / "delegated")
    plain, fast = load(run, engine="torch"), load(run, engine="fast")
    options = Options(beam=3, max_length=9, no_repeat=2, tree=True)
    mine, its = fast.translate(SOURCES[0], options=options), plain.translate(SOURCES[0], options=options)
    assert mine.ids == its.ids
    assert mine.beam == its.beam
    pairs = [(SOURCES[0], "un chat")]
    assert fast.score(pairs)[0].log_prob == plain.score(pairs)[0].log_prob
    assert str(fast.align(pairs)[0]) == str(plain.align(pairs)[0])


@pytest.fixture(scope="module")
def plain_and_fast(folder):
    run = make_run(folder / "features")
    return load(run, engine="torch"), load(run, engine="fast")


@pytest.mark.parametrize("feature", Feature)
def test_every_option_gives_what_the_readable_decoder_gives(plain_and_fast, feature):
    plain, fast = plain_and_fast
    options = ASKING[feature]
    assert fast.engine_for(options).name == ("fast" if feature in FastSearcher.abilities.features else "torch")
    mine, its = (engine.translate(SOURCES, options=options) for engine in (fast, plain))
    assert [one.ids for one in hypotheses(mine)] == [one.ids for one in hypotheses(its)]
    assert [(one.text, one.alignment, one.target_cut) for one in mine] == [
        (one.text, one.alignment, one.target_cut) for one in its
    ]
    for kept in ("weights", "attention", "beam"):
        assert [getattr(one, kept) is None for one in mine] == [getattr(one, kept) is None for one in its], kept


def test_a_beam_wider_than_the_compiled_one_is_the_readable_decoder_s(plain_and_fast):
    _, fast = plain_and_fast
    assert [fast.engine_for(Options(beam=beam)).name for beam in (WIDEST_BEAM, WIDEST_BEAM + 1)] == ["fast", "torch"]


def test_it_is_measured_like_any_model(plain_and_fast):
    plain, fast = (one.evaluate(SOURCES, [target for _, target, _ in DEV[:23]], beam=2) for one in plain_and_fast)
    assert fast.texts == plain.texts
    assert fast.scores == plain.scores


def test_empty_lines_stay_empty_and_long_ones_are_cut(folder):
    fast = load(make_run(folder / "lines"), engine="fast")
    found = fast.translate(["", SOURCES[0], "  ", " ".join(["the"] * 99)])
    assert [one.text == "" for one in found[:3]] == [True, False, True]
    assert found[3].source_cut > 0


def test_a_shortlist_with_every_word_changes_nothing(folder):
    run = make_run(folder / "whole")
    fast = load(run, engine="fast")
    size, words = fast.run.source_tokenizer.size, fast.run.target_tokenizer.size
    everything = Shortlist(np.arange(words, dtype=np.int32), np.zeros(size + 1, np.int32), np.zeros(0, np.int32))
    everything.save(run)
    listed = load(run, engine="fast", shortlist=True)
    found, expected = (engine.translate(SOURCES) for engine in (listed, fast))
    for mine, its, exact in zip(found, expected, exact_outcomes(fast.model, expected), strict=True):
        assert mine.ids == its.ids
        exact.assert_sum(mine.log_prob)
        exact.assert_sum(its.log_prob)


def test_a_shortlist_is_kept_to(folder):
    run = make_run(folder / "listed")
    fast = load(run, engine="fast")
    pairs = [
        (fast.run.source_tokenizer.encode(source), fast.run.target_tokenizer.encode(target)) for source, target in LINES
    ]
    sizes = fast.run.source_tokenizer.size, fast.run.target_tokenizer.size
    learned = learn_shortlist(pairs, *sizes, common=5, each=3)
    learned.save(run)
    assert load_shortlist(run, *sizes).of([7]) == learned.of([7])
    listed = load(run, engine="fast", shortlist=True)
    for beam in (1, 4):
        for one in listed.translate(SOURCES, beam):
            assert {*one.ids} <= {*learned.of([*one.source_ids, 3])}
    with pytest.raises(RunError, match="other vocabularies"):
        load_shortlist(run, sizes[0] + 1, sizes[1])


@pytest.mark.parametrize("share", range(20))
def test_a_damaged_shortlist_is_refused_or_the_same(folder, share):
    """Whatever reads the archive has its own errors; bits that only describe the archive may be anything."""
    learned = Shortlist(
        np.arange(4, 9, dtype=np.int32), np.arange(0, 42, 2, dtype=np.int32), np.arange(40, dtype=np.int32)
    )
    path = learned.save(folder)
    content = bytearray(path.read_bytes())
    content[share * len(content) // 20] ^= 4
    path.write_bytes(content)
    said, found = "", learned
    try:
        found = load_shortlist(folder, 20, 50)
    except RunError as error:
        said = str(error)
    assert not said or re.fullmatch(".*(is damaged|other vocabularies).*", said)
    assert all(np.array_equal(getattr(found, one), getattr(learned, one)) for one in ("common", "begins", "words"))


def test_translations_lead_the_list_of_their_source():
    draw = np.random.default_rng(1)
    lexicon = draw.permutation(np.arange(4, 54))
    pairs = []
    for _ in range(400):
        source = draw.integers(4, 54, 7)
        pairs.append((source.tolist(), lexicon[source - 4][draw.permutation(7)].tolist()))
    learned = learn_shortlist(pairs, 54, 54, common=3, each=2)
    first = [learned.words[learned.begins[token]] for token in range(4, 54)]
    assert (np.array(first) == lexicon).mean() > 0.95


def test_int8_stays_close(folder):
    run = make_run(folder / "whole-numbers", "model.encoder.size=64", "model.decoder.size=64", "model.embedding=32")
    exact, rounded = load(run, engine="fast"), load(run, engine="fast", precision="int8")
    options = Options(beam=1, max_length=1)
    both = [*zip(rounded.translate(SOURCES, options=options), exact.translate(SOURCES, options=options), strict=True)]
    alike = [(mine, its) for mine, its in both if mine.ids == its.ids]
    assert len(alike) >= 0.8 * len(both)
    for mine, its in alike:
        assert mine.score == pytest.approx(its.score, abs=0.1)


def test_reasons(folder):
    transformer = make_run(folder / "transformer", "model.preset=transformer")
    local = make_run(folder / "local", "model.decoder.attention=luong-local-m", "model.decoder.order=after")
    assert "recurrent" in why_not_fast(transformer)
    assert "luong-local-m" in why_not_fast(local)
    assert load(local, engine="auto").engines[0].name == "torch"
    with pytest.raises(RunError, match="--engine torch"):
        load(transformer, engine="fast")
    with pytest.raises(InputError, match="did you mean"):
        load(transformer, engine="fsat")
    with pytest.raises(RunError, match="jumok shortlist"):
        load(make_run(folder / "unlisted"), engine="fast", shortlist=True)


def test_a_hardly_trained_model_translates_the_same():
    """The golden run: many words are nearly as likely as the best one, and still none is another."""
    sources = [one.source for one in generate("en-fr", "test", 100)]
    mine, its = (load(GOLDEN / "rnnsearch-1", engine=engine).translate(sources) for engine in ("fast", "torch"))
    assert [one.ids for one in mine] == [one.ids for one in its]


@pytest.fixture(scope="module")
def phrasebook():
    """What the trained runs learned from, and what they have not seen."""
    return {"train": list(generate("en-fr", "train", PAIRS)), "test": list(generate("en-fr", "test", 2000))}


@pytest.fixture(scope="module", params=["rnnsearch", "luong"])
def trained(request, folder, phrasebook):
    """A run that has learned the phrasebook, with the shortlist of what it was trained on."""
    run = folder / f"trained-{request.param}"
    shutil.copytree(TRAINED / request.param, run)
    source, target = tokenizers_of(run)
    pairs = [(source.encode(one.source), target.encode(one.target)) for one in phrasebook["train"]]
    learn_shortlist(pairs, source.size, target.size).save(run)
    return run


@pytest.mark.parametrize("beam", [1, 5])
def test_int8_and_a_shortlist_cost_no_bleu(trained, phrasebook, beam):
    """Within 0.3 of float32 with all words, each alone and both together."""
    examples = phrasebook["test"]

    def bleu(**form):
        found = load(trained, engine="fast", **form).translate([one.source for one in examples], beam)
        return score_metric(
            "bleu", [one.text for one in found], [one.target for one in examples], MetricOptions()
        ).value

    exact = bleu()
    assert exact > 90
    forms = ({"precision": "int8"}, {"shortlist": True}, {"precision": "int8", "shortlist": True})
    lost = {str(form): exact - bleu(**form) for form in forms}
    assert max(map(abs, lost.values())) <= 0.3, lost


def test_the_shortlists_of_these_sentences_are_short_and_hold_their_translations(trained, phrasebook):
    source, target = tokenizers_of(trained)
    words = load_shortlist(trained, source.size, target.size)
    examples = phrasebook["test"]
    lists = [{*words.of([*source.encode(one.source), EOS])} for one in examples]
    assert np.mean([len(its) for its in lists]) < 0.4 * target.size
    within = [{*target.encode(one.target)} <= its for one, its in zip(examples, lists, strict=True)]
    assert np.mean(within) > 0.99
