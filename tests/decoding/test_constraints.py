"""Constraints hold whatever the model would rather write, through any segmentation of a word."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.decoding.beam_search import beam_search
from jumok.decoding.constraints import Rules
from jumok.decoding.forbidden import ForbiddenWords
from jumok.decoding.greedy import greedy
from jumok.decoding.required import RequiredWords, segment
from jumok.decoding.words import Phrase, check_agreement
from jumok.errors import InputError
from jumok.text.vocabulary import Vocabulary
from tests.decoding.toy import ToyModel, batch_of, log_prob_of

# Pieces that write the same words in many ways: `▁dog` = `▁` `d` `o` `g` = `▁do` `g` = …
PIECES = [
    "▁",
    "d",
    "o",
    "g",
    "s",
    ".",
    "▁d",
    "▁do",
    "▁dog",
    "og",
    "gs",
    "▁go",
    "do",
    "▁s",
    "▁so",
    "-",
    "▁gods",
    "s.",
    ".▁d",
]
SUBWORDS = Vocabulary([(piece, piece.replace("▁", " ")) for piece in PIECES], byte_fallback=False)
WORDS = Vocabulary(
    [(word, " " + word) for word in ["dog", "dogs", "go", "so", "do", "."]],
    byte_fallback=False,
    unknown_surface=" <unk>",
)
BYTES = Vocabulary([("▁", " "), ("d", "d"), ("▁do", " do"), ("개", "개")], byte_fallback=True)
CHARACTERS = Vocabulary([("▁", " "), *((c, c) for c in "dogs.")], byte_fallback=False)
VOCABULARIES = {"subwords": SUBWORDS, "words": WORDS, "bytes": BYTES, "characters": CHARACTERS}
SOURCES = [[5, 4, 3], [6, 3], [7, 8, 4, 3]]


def rules_for(vocabulary, forbid=(), require=(), longest=9, sources=SOURCES, **others):
    forbidden = ForbiddenWords([Phrase.parse(word) for word in forbid], vocabulary) if forbid else None
    required = None
    if require:
        phrases = [[segment(Phrase.parse(word), (), vocabulary) for word in require] for _ in sources]
        required = RequiredWords(phrases, vocabulary)
    limits = torch.tensor([longest] * len(sources))
    return Rules(
        limits, torch.zeros_like(limits), allow_unknown=False, forbidden=forbidden, required=required, **others
    )


def outputs(vocabulary, rules, seed, beam, sources=SOURCES, sharpness=3.0):
    model = ToyModel(len(vocabulary), seed=seed, sharpness=sharpness)
    ids, mask = batch_of(sources)
    if beam == 0:
        found = [[path] for path in greedy(model, model.encode(ids, mask), mask, rules)]
    else:
        found = beam_search(model, model.encode(ids, mask), mask, rules, beam=beam, nbest=min(2, beam)).best
    for source, best in zip(sources, found, strict=True):
        for hypothesis in best:
            assert hypothesis.log_prob == pytest.approx(log_prob_of(model, source, hypothesis.ids)[0], abs=1e-9)
            yield vocabulary.decode(hypothesis.ids)


WORD = st.sampled_from(["dog", "dogs", "do", "so", "go", "d", "s", "do*", "go dog", "s.", ".", "gods", "o*"])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["subwords", "words", "characters"]),
    st.sets(WORD, min_size=1, max_size=3),
    st.integers(0, 99),
    st.sampled_from([0, 1, 4]),
)
def test_forbidden_words_never_stand_in_the_output(kind, forbid, seed, beam):
    vocabulary = VOCABULARIES[kind]
    for text in outputs(vocabulary, rules_for(vocabulary, forbid), seed, beam):
        for word in forbid:
            assert not Phrase.parse(word).stands_in(text), (word, text)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["subwords", "characters", "words"]),
    st.sets(WORD, min_size=1, max_size=3),
    st.integers(0, 99),
    st.sampled_from([0, 1, 5, 8]),
    st.integers(0, 4),
)
def test_required_words_always_stand_in_the_output(kind, require, seed, beam, spare):
    vocabulary = VOCABULARIES[kind]
    if kind == "words":
        require = require & {"dog", "dogs", "do", "so", "go", "go dog", "."} or {"so"}
    wanted = [segment(Phrase.parse(word), (), vocabulary) for word in require]
    longest = sum(phrase.tokens for phrase in wanted) + spare
    rules = rules_for(vocabulary, require=sorted(require), longest=longest)
    for text in outputs(vocabulary, rules, seed, beam):
        for word in require:
            assert Phrase.parse(word).stands_in(text), (word, text)


@settings(max_examples=60, deadline=None)
@given(
    st.sets(WORD, min_size=1, max_size=2),
    st.sets(WORD, min_size=1, max_size=2),
    st.integers(0, 99),
    st.sampled_from([1, 5]),
)
def test_forbidden_and_required_words_hold_together(forbid, require, seed, beam):
    unwanted, wanted = [Phrase.parse(word) for word in forbid], [Phrase.parse(word) for word in require]
    try:
        check_agreement(unwanted, wanted)
    except InputError:
        return
    rules = rules_for(SUBWORDS, sorted(forbid), sorted(require), longest=14)
    for text in outputs(SUBWORDS, rules, seed, beam):
        assert all(phrase.stands_in(text) for phrase in wanted), text
        assert not any(phrase.stands_in(text) for phrase in unwanted), text


@pytest.mark.parametrize("seed", range(20))
def test_words_spelled_in_bytes_are_forbidden_and_required_too(seed):
    # 개 = EA B0 9C: a model that may only write bytes cannot smuggle it past.
    rules = rules_for(BYTES, forbid=["개", "d"], longest=8)
    for text in outputs(BYTES, rules, seed, 3):
        assert not Phrase.parse("개").stands_in(text)
        assert not Phrase.parse("d").stands_in(text)
    rules = rules_for(BYTES, require=["강"], longest=9)
    assert all(Phrase.parse("강").stands_in(text) for text in outputs(BYTES, rules, seed, 4))


def test_every_segmentation_of_a_forbidden_word_is_banned():
    forbidden = ForbiddenWords([Phrase.parse("dog")], SUBWORDS)
    names = {name: number for number, name in enumerate(SUBWORDS.names)}
    ways = [
        ["▁dog"],
        ["▁do", "g"],
        ["▁d", "og"],
        ["▁", "do", "g"],
        ["d", "o", "g"],
        ["▁", "d", "o", "g"],
        ["▁so", ".▁d", "og"],
    ]
    for way in ways:
        state = torch.tensor([forbidden.start])
        for piece in way:
            following, banned, _ = forbidden.rows(state)
            assert not banned[0, names[piece]]
            state = following[:, names[piece]]
        _, banned, _ = forbidden.rows(state)
        allowed = {SUBWORDS.names[token] for token in (~banned[0]).nonzero()[:, 0].tolist()} - {"<pad>", "<unk>", "<s>"}
        assert allowed == {"d", "o", "g", "s", "og", "gs", "do", "s."}  # the word may only go on


def test_a_word_that_ends_in_punctuation_is_still_the_word():
    assert Phrase.parse("dog").stands_in("a dog.")
    assert Phrase.parse("dog").stands_in("(dog)")
    assert not Phrase.parse("dog").stands_in("hotdog dogs")
    assert Phrase.parse("학교*").stands_in("나는 학교에 간다")
    assert not Phrase.parse("학교").stands_in("나는 학교에 간다")
    assert Phrase.parse(".").stands_in("end.")


def test_a_required_word_is_credited_in_any_segmentation():
    required = RequiredWords([[segment(Phrase.parse("dog"), (), SUBWORDS)]], SUBWORDS)
    names = {name: number for number, name in enumerate(SUBWORDS.names)}
    for way in (["▁dog"], ["▁do", "g"], ["▁d", "og"], ["d", "o", "g"], ["▁so", "▁", "d", "og"]):
        state = required.start_B
        assert required.needed(state).item() == 1
        for piece in way:
            following, _, _ = required.rows(state)
            state = following[:, required.columns_V[names[piece]]]
        assert required.needed(state).item() == 0
        following, needed, _ = required.rows(state)
        assert needed[0, required.columns_V[names["s"]]] == 1  # `dogs` is not `dog`
        assert needed[0, required.columns_V[names["▁so"]]] == 0


def test_contradictions_and_impossible_wishes_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="forbidden"):
        check_agreement([Phrase.parse("dog")], [Phrase.parse("go dog")])
    with pytest.raises(InputError, match="vocabulary"):
        segment(Phrase.parse("cat"), (), WORDS)
    with pytest.raises(InputError, match="max_length"):
        rules_for(SUBWORDS, require=["dog", "so", "go"], longest=2)
    with pytest.raises(InputError, match="empty"):
        Phrase.parse("  ")


def test_required_words_cost_little_where_the_model_likes_them():
    """With places for every bank, the constrained search finds the unconstrained best if that has the word anyway."""
    pieces = Vocabulary([(p, p.replace("▁", " ")) for p in PIECES if p.rfind("▁") <= 0], byte_fallback=False)
    tried = 0
    for seed in range(6):
        model = ToyModel(len(pieces), seed=seed, sharpness=2.0)
        ids, mask = batch_of(SOURCES)
        free = beam_search(model, model.encode(ids, mask), mask, rules_for(pieces), beam=6).best
        for source, best in zip(SOURCES, free, strict=True):
            words = [word for word in pieces.decode(best[0].ids).split() if word.isalnum()]
            if words:
                tried += 1
                rules = rules_for(pieces, require=words[:1], sources=[source])
                one, one_mask = batch_of([source])
                found = beam_search(model, model.encode(one, one_mask), one_mask, rules, beam=30).best[0][0]
                assert found.score >= best[0].score - 1e-6
    assert tried >= 5
