"""Exported Transformers in CTranslate2 against the readable decoder."""

import shutil
from collections import Counter
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from jumok.config import resolve
from jumok.data.phrasebook import generate
from jumok.decoding.alignment_choice import AlignmentChoice, write_choice
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2 import length_penalty, raised
from jumok.engine.ctranslate2_export import _round_matrices, _specification, export, library, names_of, why_not
from jumok.engine.shortlist import learn_shortlist
from jumok.engine.weights import load_parts
from jumok.errors import RunError
from jumok.evaluation.metrics import MetricOptions, score_metric
from jumok.run.names import EXPORTED
from jumok.shapes import EOS
from jumok.tasks.translation.marian.writing import export_marian
from jumok.tasks.translation.model import load
from tests.decoding.exact import exact_outcomes
from tests.decoding.tiny_run import DEV, LINES, in_float64, make_run
from tests.rounding import EPSILON, MANY

GOLDEN = Path(__file__).parent.parent / "golden"
TRAINED = Path(__file__).parent / "trained" / "transformer"
FRENCH = [one.source for one in generate("en-fr", "test", 9)]
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
    export(run, run / EXPORTED)
    plain, quick = load(run, engine="torch"), load(run, engine="ctranslate2")
    options = Options(beam=1, max_length=9)
    found, expected = (engine.translate(SOURCES, options=options) for engine in (quick, plain))
    exact = exact_outcomes(plain.model, expected)
    references = in_float64(plain).translate(SOURCES, options=options)
    for mine, its, reference, outcome in zip(found, expected, references, exact, strict=True):
        assert mine.ids == its.ids == reference.ids
        assert mine.alignment == its.alignment
        for weights in (mine.weights, its.weights):
            bound = MANY * EPSILON * outcome.cross[1].magnitude
            np.testing.assert_allclose(weights, reference.weights, atol=bound, rtol=0)


def test_all_heads_and_constraints_go_to_the_readable_decoder(folder):
    run = make_run(folder / "heads", "model.preset=transformer")
    export(run, run / EXPORTED, quantization="int8")
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
    export(run, run / EXPORTED)
    quick = load(run, engine="ctranslate2", shortlist=True)
    for source in SOURCES:  # one at a time: CTranslate2 joins the lists of a batch
        one = quick.translate(source, 1)
        assert {*one.ids} <= {*learned.of([*one.source_ids, 3])}


@pytest.fixture(scope="module")
def endless(folder):
    """A run that hardly ever writes EOS."""
    run = make_run(folder / "endless", "model.preset=transformer", "data.max_length=100")
    weights = load_file(run / "model.safetensors")
    weights["generator.bias"][EOS] = -9.0
    save_file(weights, run / "model.safetensors")
    export(run, run / EXPORTED)
    return run


class Watched:
    """A CTranslate2 translator that notes the limit of every call, with the number of its lines."""

    def __init__(self, translator):
        self.translator, self.limits = translator, []

    def translate_batch(self, lines, **choices):
        self.limits.append((choices["max_decoding_length"], len(lines)))
        return self.translator.translate_batch(lines, **choices)

    def score_batch(self, *given, **choices):
        return self.translator.score_batch(*given, **choices)


def of_lengths(*lengths):
    """Lines of so many words."""
    words = " ".join(SOURCES).split()
    return [" ".join(words[n : n + n]) for n in lengths]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30))
def test_limits_are_raised_to_at_most_twice_and_groups_are_as_few_as_can_be(limits):
    found = raised(limits)
    assert all(limit <= more <= 2 * limit for limit, more in zip(limits, found, strict=True))
    least, groups = 0, 0  # from the smallest: a group reaches up to twice its least
    for limit in sorted(limits):
        if limit > 2 * least:
            least, groups = limit, groups + 1
    assert len(set(found)) == groups


class Counted:
    """A result of CTranslate2 that counts how often each of its lists is converted."""

    def __init__(self, result, counts):
        self.result, self.counts = result, counts

    def __getattr__(self, name):
        self.counts[name] += 1
        return getattr(self.result, name)


@pytest.mark.parametrize(("alignment", "most"), [(True, 1), (False, 0)])
def test_lists_of_a_result_are_converted_once_and_attention_only_where_it_is_seen(exported, alignment, most):
    quick, counts = load(exported["float32"], engine="ctranslate2"), Counter()
    inner = quick.engines[0].searcher._translate
    quick.engines[0].searcher._translate = lambda *given: [Counted(one, counts) for one in inner(*given)]
    options = Options(beam=3, alignment=alignment)
    assert all(one.text for one in quick.translate(FRENCH, options=options))
    assert counts["attention"] == most * len(FRENCH)
    assert counts["scores"] == len(FRENCH)
    assert counts["hypotheses"] <= 2 * len(FRENCH)


def test_a_batch_waits_in_the_queue_while_python_is_busy(exported):
    quick = load(exported["float32"], engine="ctranslate2", workers=2)
    together = Barrier(3, timeout=60)  # a third batch is under way while two are being searched
    assert list(quick.engines[0].searcher.map(lambda _: together.wait() >= 0, range(3))) == [True] * 3


def test_a_sentence_without_end_is_decoded_as_long_as_it_may_be(endless):
    lines = of_lengths(3, 27, 5, 9, 1, 20, 4, 15)
    plain, quick = load(endless, engine="torch"), load(endless, engine="ctranslate2")
    watched = quick.engines[0].searcher.translator = Watched(quick.engines[0].searcher.translator)
    found = quick.translate(lines, 1)
    assert {limit for limit, _ in watched.limits} == {23, 47, 100}  # of 3n + 20, at most 100
    assert sum(count for _, count in watched.limits) == len(lines)
    expected = plain.translate(lines, 1)
    for mine, its, exact in zip(found, expected, exact_outcomes(plain.model, expected), strict=True):
        assert (mine.source, mine.ids, mine.target_cut) == (its.source, its.ids, its.target_cut)
        for one in (mine, its):
            exact.assert_sum(one.log_prob)
            exact.assert_sum(one.score * length_penalty(Scoring(), len(one.ids) + 1))
        assert mine.alignment == its.alignment
    assert [len(one.ids) for one in found if one.target_cut] == [
        min(100, 3 * len(one.source_ids) + 20) for one in found if one.target_cut
    ]
    assert sum(one.target_cut for one in found) >= 4


@pytest.mark.parametrize("options", [Options(beam=4, nbest=4), Options(beam=4, nbest=4, max_length=7)])
def test_cut_outputs_have_the_score_of_what_is_left(endless, options):
    lines = of_lengths(3, 27, 9, 15)
    model, quick = load(endless, engine="torch").model, load(endless, engine="ctranslate2")
    for one in quick.translate(lines, options=options):
        all_of_it = (one, *one.alternatives)
        assert len({its.ids for its in all_of_it}) == len(all_of_it) == 4
        assert [its.score for its in all_of_it] == sorted((its.score for its in all_of_it), reverse=True)
        for its, exact in zip(all_of_it, exact_outcomes(model, all_of_it), strict=True):
            exact.assert_sum(its.log_prob)
            assert its.score == pytest.approx(its.log_prob / length_penalty(options.scoring, len(its.ids) + 1))


@pytest.mark.parametrize("beam", [1, 4])
def test_batch_mates_and_workers_change_nothing(endless, beam):
    lines = of_lengths(3, 27, 5, 9, 1, 20, 4, 15) * 5
    alone = load(endless, engine="ctranslate2")
    together = load(endless, engine="ctranslate2", workers=3).translate(lines, beam)
    for line, one in zip(lines, together, strict=True):
        its = alone.translate(line, beam)
        assert (one.source, one.ids, one.target_cut) == (line, its.ids, its.target_cut)


def test_what_cannot_be_exported_is_said(folder):
    recurrent = make_run(folder / "recurrent")
    cosine = make_run(folder / "cosine", "model.preset=transformer", "model.decoder.attention=cosine")
    for run, reason in ((recurrent, "recurrent"), (cosine, "cosine")):
        assert reason in why_not(load(run, engine="torch").run.config.model)
        with pytest.raises(RunError, match=reason):
            export(run, run / EXPORTED)
    with pytest.raises(RunError, match="jumok export"):
        load(recurrent, engine="ctranslate2")


def test_neither_another_task_nor_a_pointer_is_sent_to_our_own_engine(tmp_path):
    captions = Path(__file__).parents[2] / "src/jumok/studio/models/picture"
    for write_out in (export, export_marian):
        with pytest.raises(RunError, match=r"task=captioning.*`jumok caption"):
            write_out(captions, tmp_path / "out")
    pointer = resolve({"model.head.kind": "pointer"}).model
    assert "linear head" in (why_not(pointer) or "")
    assert not (tmp_path / "out").exists()


def test_length_penalty_is_that_of_the_search():
    for scoring in (Scoring(), Scoring("power", 1.3), Scoring("none")):
        lengths = torch.arange(1, 23)
        expected = scoring.length_penalty(lengths).tolist()
        assert [length_penalty(scoring, int(n)) for n in lengths] == pytest.approx(expected)


def test_a_trained_model_translates_alike(tmp_path):
    run = tmp_path / "run"
    shutil.copytree(GOLDEN / "transformer-1", run)
    export(run, run / EXPORTED)
    sources = [one.source for one in generate("en-fr", "test", 60)]
    plain, quick = load(run, engine="torch"), load(run, engine="ctranslate2")
    for beam, least in ((1, 60), (5, 54)):
        mine, its = quick.translate(sources, beam), plain.translate(sources, beam)
        assert sum(one.ids == other.ids for one, other in zip(mine, its, strict=True)) >= least


@pytest.fixture(scope="module")
def exported(folder):
    """A run that has learned the phrasebook, exported in both precisions: a copy each."""
    runs = {}
    for precision in ("float32", "int8"):
        runs[precision] = folder / f"trained-{precision}"
        shutil.copytree(TRAINED, runs[precision])
        export(runs[precision], runs[precision] / EXPORTED, quantization=precision)
    return runs


@pytest.mark.parametrize("beam", [1, 5])
def test_float32_and_int8_cost_no_bleu(exported, beam):
    """Within 0.3 of the readable decoder; in float32 greedy outputs are the same."""
    examples = list(generate("en-fr", "test", 1000))
    sources, targets = [one.source for one in examples], [one.target for one in examples]

    def bleu(found):
        return score_metric("bleu", [one.text for one in found], targets, MetricOptions()).value

    its = load(TRAINED, engine="torch").translate(sources, beam)
    mine = load(exported["float32"], engine="ctranslate2").translate(sources, beam)
    rounded = load(exported["int8"], engine="ctranslate2", precision="int8").translate(sources, beam)
    same = sum(one.ids == other.ids for one, other in zip(mine, its, strict=True))
    assert same >= (1000 if beam == 1 else 990)
    assert bleu(its) > 90
    assert bleu(mine) == pytest.approx(bleu(its), abs=0.3)
    assert bleu(rounded) == pytest.approx(bleu(its), abs=0.3)


def test_rounding_is_the_same_before_and_after_the_export(exported):
    sources = [one.source for one in generate("en-fr", "test", 100)]
    stored, read = (load(run, engine="ctranslate2", precision="int8").translate(sources) for run in exported.values())
    assert [(one.ids, one.score) for one in read] == [(one.ids, one.score) for one in stored]


def test_products_of_rounded_weights_fit_sixteen_bits():
    """Two products are summed in 16 bits where the machine has no VNNI; activations go up to 255."""
    specs, run = library().specs, load_parts(TRAINED)
    spec = _specification(specs, run)
    spec.register_source_vocabulary(names_of(run.source_tokenizer))
    spec.register_target_vocabulary(names_of(run.target_tokenizer))
    spec.validate()
    exact = dict(spec.variables())
    _round_matrices(specs.model_spec, spec)
    rounded = spec.variables()
    matrices = [name for name in rounded if f"{name}_scale" in rounded]
    assert len(matrices) == 3 + 2 * 4 + 2 * 7  # words, outputs, two layers each of encoder and decoder
    for name in matrices:
        whole, scale = rounded[name].numpy().astype(np.int64), rounded[f"{name}_scale"].numpy()[:, None]
        assert 2 * 255 * np.abs(whole).max() < 2**15
        assert np.abs(whole - exact[name].numpy() * scale).max() < 0.501
