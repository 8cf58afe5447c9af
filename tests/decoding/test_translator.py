"""The translator over real (random) models of every kind: laws that hold whatever the weights are."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from jumok.config import resolve
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.options import Options
from jumok.decoding.sampling import Sampling
from jumok.decoding.scoring import Scoring
from jumok.decoding.torch_engine import TorchEngine
from jumok.decoding.translator import Translator
from jumok.decoding.words import Phrase
from jumok.errors import InputError, RunError
from jumok.inspect.alignment_search import search
from jumok.shapes import UNK
from jumok.tasks.translation.model import load
from tests.decoding.tiny_run import DEV, in_float64, make_run

SOURCES = [source for source, _, _ in DEV[:13]]
KINDS = ("bahdanau", "luong", "transformer", "none")
SHORT = Options(beam=4, max_length=9)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_mates_change_neither_tokens_nor_scores(translators, kind):
    translator = translators[kind]
    options = replace(SHORT, nbest=3, attention=True)
    together = translator.translate(SOURCES, options=options)
    small = list(translator.translate_stream(SOURCES, replace(options, budget=100), window=3))
    for source, one, other in zip(SOURCES, together, small, strict=True):
        alone = translator.translate(source, options=options)
        for found in (one, other):
            assert found.source == source
            assert found.ids == alone.ids
            assert found.score == pytest.approx(alone.score, abs=1e-9)
            assert [a.ids for a in found.alternatives] == [a.ids for a in alone.alternatives]
            for mine, its in zip(found.attention.cross, alone.attention.cross, strict=True):
                np.testing.assert_allclose(mine, its, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_is_greedy_and_forced_decoding_agrees(translators, kind):
    translator = translators[kind]
    greedy = translator.translate(SOURCES, options=replace(SHORT, beam=1))
    beam = translator.translate(SOURCES, options=replace(SHORT, beam=1, tree=True))
    assert [one.ids for one in greedy] == [one.ids for one in beam]
    # Scores of the tokens themselves: text may be segmented in another way when it is read again.
    for one in (*greedy, *translator.translate(SOURCES, options=SHORT)):
        with torch.no_grad():
            forced = translator.model.forward(_batch(one))[0][0].log_softmax(-1)
        steps = [float(forced[t, token]) for t, token in enumerate((*one.ids, 3))]
        assert one.log_prob == pytest.approx(sum(steps), abs=1e-9)
        np.testing.assert_allclose(one.token_log_probs, steps, atol=1e-9)


def _batch(one):
    from jumok.data.batch import Batch

    return Batch.of([one.source_ids], [one.ids], [0])


@pytest.mark.parametrize("kind", KINDS)
def test_attention_of_a_hypothesis_is_that_of_the_whole_pass(translators, kind):
    translator = translators[kind]
    for one in translator.translate(SOURCES[:5], options=replace(SHORT, attention=True)):
        with torch.no_grad():
            _, maps = translator.model.forward(_batch(one), need_weights=True)
        for found, whole in ((one.attention.encoder, maps.encoder), (one.attention.cross, maps.cross)):
            assert len(found) == len(whole)
            for mine, its in zip(found, whole, strict=True):
                np.testing.assert_allclose(mine, its[0].numpy(), atol=1e-6)
        for mine, its in zip(one.attention.decoder, maps.decoder, strict=True):
            np.testing.assert_allclose(mine, its[0].numpy(), atol=1e-6)
        if kind == "none":
            assert one.weights is None
            assert one.alignment == []
        else:
            assert one.weights.shape == (len(one.target_words), len(one.source_words))


def test_aligning_a_translation_gives_its_own_links(translators):
    for kind in ("bahdanau", "luong"):
        translator = translators[kind]
        found = translator.translate(SOURCES, options=replace(SHORT, unknown="forbid"))
        aligned = translator.align([(one.source, one.text) for one in found])
        for one, pair in zip(found, aligned, strict=True):
            assert pair.links == one.alignment
            np.testing.assert_allclose(pair.weights, one.weights, atol=1e-6)


def test_scoring_a_translation_gives_its_own_score(translators):
    translator = translators["bahdanau"]
    found = translator.translate(SOURCES, options=replace(SHORT, unknown="forbid", scoring=Scoring("none")))
    scored = translator.score([(one.source, one.text) for one in found])
    assert [pair.log_prob for pair in scored] == pytest.approx([one.score for one in found], abs=1e-9)
    mean = -found[0].log_prob / (len(found[0].ids) + 1)
    assert scored[0].perplexity == pytest.approx(np.exp(mean), rel=1e-4)


def test_the_shifted_row_is_the_one_after(translators):
    translator = translators["transformer"]
    pairs = [(source, target) for source, target, _ in DEV[:3]]
    plain = AlignmentChoice(1, (0,), shift=False)
    cross = np.random.default_rng(0).dirichlet(np.ones(4), size=5)
    np.testing.assert_array_equal(plain.rows(cross), cross[:4])
    np.testing.assert_array_equal(replace(plain, shift=True).rows(cross), cross[1:])
    one, other = (translator.align(pairs, choice=replace(plain, shift=shift))[0].weights for shift in (False, True))
    assert one.shape == other.shape
    assert not np.allclose(one, other)


def test_which_heads_stand_for_the_alignment(runs, translators, tmp_path):
    assert translators["bahdanau"].choice == AlignmentChoice(-1, None, shift=False)
    assert translators["transformer"].choice == AlignmentChoice(2, None, shift=False)  # of 3 layers
    deep = resolve({}, ["model.preset=transformer", "model.decoder.layers=6"])
    assert AlignmentChoice.usual(deep) == AlignmentChoice(4, None, shift=True)
    guided = make_run(tmp_path / "guided", "model.preset=transformer", "train.guided_alignment=0.1")
    assert load(guided).choice == AlignmentChoice(-1, (0,), shift=False)


@pytest.mark.parametrize("judge", ["gold", "agreement", "removal"])
def test_the_search_for_heads_finds_the_least_error(translators, judge):
    from jumok.alignment import Links, score_alignments

    translator = translators["transformer"]
    pairs = [(source, target) for source, target, _ in DEV[:4]]
    gold = [Links(frozenset(links)) for _, _, links in DEV[:4]] if judge == "gold" else None
    tried, judged_by = search(translator, pairs, gold=gold, reverse=translator if judge == "agreement" else None)
    assert judged_by == judge
    assert len(tried) == 3 * (1 + 2) * 2  # layers × (mean, heads) × step
    assert [one.error for one in tried] == sorted(one.error for one in tried)
    if gold is not None:
        links = [pair.links for pair in translator.align(pairs, choice=tried[0].choice)]
        assert score_alignments(links, gold).aer == pytest.approx(tried[0].error)


def test_a_model_without_attention_cannot_align(translators):
    pairs = [(source, target) for source, target, _ in DEV[:2]]
    for work in (translators["none"].align, lambda pairs: search(translators["none"], pairs)):
        with pytest.raises(RunError, match="has no attention between the two sides"):
            work(pairs)


def test_the_search_for_heads_cuts_what_the_model_has_no_positions_for(tmp_path):
    learned = ("model.encoder.positions=learned", "model.decoder.positions=learned")
    limits = ("model.decoder.max_positions=9", "data.max_length=8")
    translator = load(make_run(tmp_path / "short", "model.preset=transformer", *learned, *limits))
    pairs = [(" ".join(["the"] * 20), " ".join(["le"] * 20)), (SOURCES[0], "le")]
    tried, _ = search(translator, pairs)
    assert len(tried) == 3 * (1 + 2) * 2
    assert translator.align(pairs, choice=tried[0].choice)[0].cut


def test_empty_lines_stay_where_they_are(translators):
    lines = ["", SOURCES[0], "   ", "\t", SOURCES[1], ""]
    found = translators["transformer"].translate(lines, options=SHORT)
    assert [bool(one.text) for one in found] == [False, True, False, False, True, False]
    assert [one.source for one in found] == lines
    assert translators["transformer"].translate([], options=SHORT) == []
    assert str(translators["transformer"].translate("")) == ""


def test_long_lines_are_cut_to_what_the_model_was_trained_for(translators):
    found = translators["bahdanau"].translate(" ".join(["the"] * 50), options=SHORT)
    assert len(found.source_ids) == 30
    assert found.source_cut == 20
    assert found.weights.shape[1] == 50


def test_unknown_words_are_copied_from_where_the_model_looked(translators):
    translator, options = translators["bahdanau"], replace(SHORT, beam=2)
    bias = translator.model.generator.bias
    with torch.no_grad():
        bias[UNK] += 8  # so that it writes an unknown word
    try:
        found = translator.translate("the zyx sees Yara", options=options)
        place = found.ids.index(UNK)
        looked_at = int(found.weights[place].argmax())
        assert found.text.split()[place] == found.source_words[looked_at]
        kept = translator.translate("the zyx sees Yara", options=replace(options, unknown="keep"))
        assert kept.text.split()[place] == "<unk>"
        lexicon = {word: f"{word.upper()} {word}!" for word in found.source_words}
        said = translator.translate("the zyx sees Yara", options=replace(options, lexicon=lexicon))
        assert lexicon[found.source_words[looked_at]] in said.text
        assert said.text.split() == list(said.target_words)
        assert said.weights.shape == (len(said.target_words), 4)
        forbid = replace(options, forbid=tuple(found.source_words))
        assert not {*translator.translate("the zyx sees Yara", options=forbid).text.split()} & {*found.source_words}
    finally:
        with torch.no_grad():
            bias[UNK] -= 8
    never = translator.translate(SOURCES, options=replace(SHORT, unknown="forbid"))
    assert all(1 not in one.ids for one in never)


def test_a_prefix_must_be_writable_and_free_of_what_is_forbidden(translators):
    translator = translators["bahdanau"]
    with pytest.raises(InputError, match="'zzzzunknown' is not in the model's vocabulary"):
        translator.translate("the cat", options=replace(SHORT, prefix="zzzzunknown"))
    with pytest.raises(InputError, match="which is forbidden"):
        translator.translate("the cat", options=replace(SHORT, prefix="Le  chat", forbid=("Le chat",)))


def test_empty_lines_have_empty_attention_when_it_is_asked_for(translators):
    found = translators["transformer"].translate(["", "the cat"], options=replace(SHORT, attention=True, tree=True))
    tree = found[0].as_dict()
    assert tree["attention"] == {"encoder": [], "decoder": [], "cross": []}
    assert tree["beam"] == []
    assert len(found[1].as_dict()["attention"]["cross"]) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_hold_for_every_model(translators, kind):
    translator = translators[kind]
    words = ["le", "chat", "homme"] if kind != "none" else ["le", "chat"]
    words = [word for word in words if 1 not in translator.run.target_tokenizer.encode(word)]
    free = translator.translate(SOURCES[:6], options=SHORT)
    common = [one.text.split()[0].strip(".,?!") for one in free if one.text.split()]
    forbid = tuple({word for word in common if word.isalnum()})[:3]
    options = Options(beam=3, max_length=25, forbid=forbid, require=tuple(w for w in words if w not in forbid)[:2])
    for one in translator.translate(SOURCES[:6], options=options):
        assert all(Phrase.parse(word).stands_in(one.text) for word in options.require), one.text
        assert not any(Phrase.parse(word).stands_in(one.text) for word in forbid), one.text


def test_draws_belong_to_the_sentence(translators):
    translator = translators["luong"]
    options = replace(SHORT, sampling=Sampling(seed=3, top_p=0.9), nbest=2)
    together = translator.translate(SOURCES, options=options)
    for source, one in zip(SOURCES, together, strict=True):
        alone = translator.translate(source, options=options)
        assert (alone.ids, alone.alternatives[0].ids) == (one.ids, one.alternatives[0].ids)
    assert any(one.ids != one.alternatives[0].ids for one in together)


def test_an_ensemble_averages_probabilities(runs, translators, tmp_path):
    other = make_run(tmp_path / "other", seed=7)
    both = in_float64(load(runs["bahdanau"], ensemble=[other]))
    single = in_float64(load(other))
    for one in both.translate(SOURCES[:4], options=SHORT):
        parts = []
        for member in (translators["bahdanau"], single):
            with torch.no_grad():
                logits = member.model.forward(_batch(one))[0][0]
            parts.append(logits.softmax(-1))
        mean = torch.stack(parts).mean(0).log()
        steps = [float(mean[t, token]) for t, token in enumerate((*one.ids, 3))]
        assert one.log_prob == pytest.approx(sum(steps), abs=1e-9)
    twice = Translator([TorchEngine([both.readable.run] * 2)])
    assert [one.ids for one in twice.translate(SOURCES, options=SHORT)] == [
        one.ids for one in translators["bahdanau"].translate(SOURCES, options=SHORT)
    ]
    with pytest.raises(RunError, match="different vocabularies"):
        load(runs["bahdanau"], ensemble=[runs["transformer"]])


def test_sentence_vectors_do_not_depend_on_batch_mates(translators):
    for kind in KINDS:
        vectors = translators[kind].encode(SOURCES)
        assert vectors.shape[0] == len(SOURCES)
        np.testing.assert_allclose(vectors[3], translators[kind].encode(SOURCES[3]), atol=1e-6)
    with pytest.raises(InputError, match="line 2"):
        translators["none"].encode(["a", ""])


def test_a_translation_prints_as_text_and_shows_itself(translators):
    one = translators["bahdanau"].translate(SOURCES[0], options=SHORT)
    assert str(one) == one.text
    assert "<svg" in one._repr_svg_()
    assert ">rest</text>" in one.svg()  # what is on `</s>` is not left out
    assert translators["none"].translate(SOURCES[0], options=SHORT)._repr_svg_() is None


def test_a_stream_takes_no_more_lines_than_its_window(translators):
    taken = []

    def lines():
        for number in range(100):
            taken.append(number)
            yield SOURCES[number % len(SOURCES)]

    stream = translators["bahdanau"].translate_stream(lines(), replace(SHORT, beam=1), window=10)
    next(stream)
    assert len(taken) == 10
    for _ in range(10):
        next(stream)
    assert len(taken) == 20


def test_ten_thousand_lines_need_no_more_memory_than_two_thousand(translators):
    options = Options(beam=1, max_length=4, alignment=False)
    lines = (SOURCES[number % len(SOURCES)] for number in range(10_000))
    resident = []
    count = 0
    for count, _ in enumerate(translators["bahdanau"].translate_stream(lines, options, window=500), start=1):
        if count % 1000 == 0:
            with open("/proc/self/statm") as statm:
                resident.append(int(statm.read().split()[1]) * 4096)
    assert count == 10_000
    assert resident[-1] - resident[1] < 20e6


def test_senseless_options_are_refused(translators):
    for bad in ({"beam": 0}, {"nbest": 9}, {"min_length": 5, "max_length": 3}, {"no_repeat": -1}):
        with pytest.raises(InputError):
            Options(**bad)
    with pytest.raises(InputError, match="forbidden"):
        translators["bahdanau"].translate("a", forbid=["le"], prefix="le")
    with pytest.raises(InputError, match="vocabulary"):
        translators["bahdanau"].translate("a", require=["Qqqq"])
