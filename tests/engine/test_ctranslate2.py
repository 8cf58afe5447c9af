"""Exported Transformers in CTranslate2 against the readable decoder."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from jumok.data.phrasebook import generate
from jumok.decoding.alignment_choice import AlignmentChoice, write_choice
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2 import FOLDER, export, length_penalty, why_not
from jumok.engine.loading import load
from jumok.engine.shortlist import learn_shortlist
from jumok.errors import RunError
from tests.decoding.tiny_run import DEV, LINES, make_run

GOLDEN = Path(__file__).parent.parent / "golden"
SOURCES = [source for source, _, _ in DEV[:17]]
KINDS = {
    "pre": (),
    "post": ("model.encoder.norm=post", "model.decoder.norm=post"),
    "learned": ("model.encoder.positions=learned", "model.decoder.positions=learned"),
    "rotary": ("model.encoder.positions=rotary", "model.decoder.positions=rotary"),
    "own sizes": ("model.tie_output=false", "model.encoder.layers=2", "model.encoder.heads=4"),
    "one size": ("model.embedding=16",),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.mark.parametrize("kind", KINDS)
def test_same_tokens_and_attention_as_the_readable_decoder(folder, kind):
    run = make_run(folder / kind.replace(" ", "-"), "model.preset=transformer", *KINDS[kind])
    write_choice(run, AlignmentChoice(1, (1,), shift=False), "test")
    export(run, run / FOLDER)
    plain, quick = load(run, engine="torch"), load(run, engine="ctranslate2")
    options = Options(beam=1, max_length=9)
    for mine, its in zip(
        quick.translate(SOURCES, options=options), plain.translate(SOURCES, options=options), strict=True
    ):
        assert mine.ids == its.ids
        assert mine.alignment == its.alignment
        np.testing.assert_allclose(mine.weights, its.weights, atol=1e-4)


def test_all_heads_and_constraints_go_to_the_readable_decoder(folder):
    run = make_run(folder / "heads", "model.preset=transformer")
    export(run, run / FOLDER, quantization="int8")
    quick = load(run, engine="ctranslate2", precision="int8")
    options = Options(beam=2, max_length=7, attention=True, no_repeat=1)
    its = load(run, engine="torch").translate(SOURCES[0], options=options)
    mine = quick.translate(SOURCES[0], options=options)
    assert mine.ids == its.ids
    assert len(mine.attention.cross) == len(its.attention.cross) == 3


def test_a_shortlist_becomes_the_map(folder):
    run = make_run(folder / "map", "model.preset=transformer")
    plain = load(run, engine="torch").run
    pairs = [(plain.source_tokenizer.encode(one), plain.target_tokenizer.encode(other)) for one, other in LINES]
    learned = learn_shortlist(pairs, plain.source_tokenizer.size, plain.target_tokenizer.size, common=4, each=2)
    learned.save(run)
    export(run, run / FOLDER)
    quick = load(run, engine="ctranslate2", shortlist=True)
    for source in SOURCES:  # one at a time: CTranslate2 joins the lists of a batch
        one = quick.translate(source, 1)
        assert {*one.ids} <= {*learned.of([*one.source_ids, 3])}


def test_what_cannot_be_exported_is_said(folder):
    recurrent = make_run(folder / "recurrent")
    cosine = make_run(folder / "cosine", "model.preset=transformer", "model.decoder.attention=cosine")
    for run, reason in ((recurrent, "recurrent"), (cosine, "cosine")):
        assert reason in why_not(load(run, engine="torch").run.config.model)
        with pytest.raises(RunError, match=reason):
            export(run, run / FOLDER)
    with pytest.raises(RunError, match="jumok export"):
        load(recurrent, engine="ctranslate2")


def test_length_penalty_is_that_of_the_search():
    import torch

    for scoring in (Scoring(), Scoring("power", 1.3), Scoring("none")):
        lengths = torch.arange(1, 23)
        expected = scoring.length_penalty(lengths).tolist()
        assert [length_penalty(scoring, int(n)) for n in lengths] == pytest.approx(expected)


def test_a_trained_model_translates_alike(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(GOLDEN / "transformer-1", run)
    export(run, run / FOLDER)
    sources = [one.source for one in generate("en-fr", "test", 60)]
    plain, quick = load(run, engine="torch"), load(run, engine="ctranslate2")
    for beam, least in ((1, 60), (5, 54)):
        mine, its = quick.translate(sources, beam), plain.translate(sources, beam)
        assert sum(one.ids == other.ids for one, other in zip(mine, its, strict=True)) >= least
