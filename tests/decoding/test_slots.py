"""Words that only a source has: prefixes, forbidden, required and repeatable words mean the source's own."""

from pathlib import Path
from typing import Any

import pytest
import torch

import jumok
from jumok.decoding.forbidden import ForbiddenBySentence, ForbiddenWords
from jumok.decoding.intake import LineIntake
from jumok.decoding.length import Length
from jumok.decoding.options import Options, Sampling
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.words import Phrase
from jumok.errors import InputError
from jumok.shapes import UNK
from jumok.tasks.summarisation.model import SummarisationModel, load
from jumok.text.options import TokenizerOptions
from jumok.text.slots import beside, encode_beside
from jumok.text.words import WordTokenizer

KEYS = {
    "task": "summarisation", "data.newsbook_size": 200, "data.held_out": 10, "text.min_count": 5, "model.embedding": 16,
    "model.encoder.size": 16, "model.decoder.size": 16, "train.max_steps": 2, "train.batch_tokens": 128,
    "train.pictures": 0, "train.validate_size": 0, "runtime.threads": 1,
}  # fmt: skip
LINES = ["Qarro Vulmek Zoltan Zoltan.", "Zoltan Zoltan Vulmek Qarro Vulmek", "Vulmek Vulmek"]
"""Every word is unknown, and each line numbers them in its own order."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SummarisationModel:
    place: Path = tmp_path_factory.mktemp("slots") / "run"
    jumok.train(KEYS, out=place)
    found = load(place)
    with torch.no_grad():  # it copies, and nearly nothing else
        found.model.generator.gate.bias.fill_(-9.0)  # pyright: ignore
    return found


def written(model: SummarisationModel, **options) -> list[list[str]]:
    """The words that are written about each line, however they are searched for, one list for each hypothesis."""
    found = []
    for how in ({"beam": 1}, {"beam": 3, "nbest": 2}, {"sampling": Sampling(seed=5), "nbest": 2}):
        for one in model.translate(LINES, options=Options(**{"max_length": 9, **how, **options})):
            every = [one, *one.alternatives]
            assert not any("<copy" in token for each in every for token in (*each.tokens, *each.source_tokens))
            found += [each.text.split() for each in every]
    return found


def test_a_tokenizer_beside_a_source_reads_and_writes_its_unknown_words():
    plain = WordTokenizer(["a", "b"], TokenizerOptions(slots=3))
    found = beside(plain, "Vulmek a Zoltan Vulmek")
    ids = found.encode("Zoltan b Vulmek Qarro")
    assert ids == encode_beside(plain, "Zoltan b Vulmek Qarro", "Vulmek a Zoltan Vulmek")
    assert ids[-1] == UNK
    assert found.decode(ids) == "Zoltan b Vulmek <unk>"
    assert found.names(ids) == ("Zoltan", "b", "Vulmek", "<unk>")
    assert found.token(plain.size - 1) == "<unk>"  # a slot that is left over
    assert (found.size, found.sha256, plain.token(plain.size - 1)) == (plain.size, plain.sha256, "<copy-3>")
    bare = WordTokenizer(["a"], TokenizerOptions())
    assert beside(bare, "a c") is bare


@pytest.mark.parametrize("name", ["Vulmek", "Zoltan Zoltan", "Vulmek Zoltan"])
def test_a_prefix_names_words_of_the_source(model, name):
    lines = LINES[:2]
    for beam in (1, 3):
        for found in model.translate(lines, options=Options(beam=beam, prefix=name, max_length=9)):
            assert found.text.startswith(name)
    with pytest.raises(InputError, match="Vulmek"):
        model.translate("Zoltan", options=Options(prefix="Vulmek"))


def test_a_word_that_could_be_copied_can_be_required(model):
    for words in written(model, require=("Vulmek",)):
        assert "Vulmek" in words
    for beam in (1, 4):
        found = model.translate(LINES[:2], options=Options(beam=beam, require=("Qarro Vulmek", "Zoltan"), max_length=9))
        assert all("Qarro Vulmek" in one.text and "Zoltan" in one.text.split() for one in found)
    with pytest.raises(InputError, match="cannot be required"):
        model.translate(LINES[2], options=Options(require=("Zoltan",)))


def test_a_forbidden_word_is_not_copied(model):
    free = written(model, min_length=3)
    assert any("Vulmek" in words for words in free)
    for forbid in (("Vulmek",), ("Vul*",), ("Zoltan Vulmek", "Vulmek Zoltan"), ("Zoltan",)):
        for words in written(model, forbid=forbid, min_length=3):
            assert not any(Phrase.parse(word).stands_in(" ".join(words)) for word in forbid)
    # What slots are called inside is no word: they are still copied.
    for name in ("copy", "unk"):
        assert any("Vulmek" in words for words in written(model, forbid=(name,), min_length=3, unknown="keep"))


@pytest.mark.parametrize("how", [{"beam": 1}, {"beam": 3}, {"sampling": Sampling(seed=5), "nbest": 2}])
def test_what_cannot_be_kept_together_with_a_length_is_refused(model, how):
    asked: dict[str, Any] = {"length": Length.parse("1"), **how}
    impossible: dict[str, Any]
    for impossible in ({"require": ("Vulmek", "Zoltan")}, {"min_length": 3}):
        with pytest.raises(InputError, match="the constraints leave no"):
            model.translate(LINES[0], options=Options(**asked, **impossible))
    with pytest.raises(InputError, match="the prefix 'Zoltan Vulmek' has 2 words, but the output may have 1"):
        model.translate(LINES[0], options=Options(prefix="Zoltan Vulmek", **asked))
    two = model.translate(LINES[0], options=Options(prefix="Zoltan Vulmek", **{**asked, "length": Length.parse("2")}))
    assert two.text == "Zoltan Vulmek"


def test_automata_of_several_sentences_take_turns():
    plain = WordTokenizer(["a", "b"], TokenizerOptions(slots=3))
    phrases = [Phrase.parse("a Vulmek"), Phrase.parse("Zoltan b")]
    each = [ForbiddenWords(phrases, beside(plain, line).vocabulary) for line in LINES[:2]]
    together = ForbiddenBySentence([each[0], each[1], each[0]])
    states = together.starts(3)
    own = [each[0].start, each[1].start, each[0].start]
    draw = torch.Generator().manual_seed(3)
    for _ in range(40):
        next_NV, banned_NV, risky_NV = together.rows(states)
        tokens = torch.randint(4, plain.size, (3,), generator=draw)
        for n, token in enumerate(tokens.tolist()):
            next_V, banned_V, risky_V = (rows[0] for rows in each[n % 2].rows(torch.tensor([own[n]])))
            assert torch.equal(banned_NV[n], banned_V)
            assert torch.equal(risky_NV[n], risky_V)
            assert next_NV[n, token] % 2 == n % 2
            own[n] = int(next_V[token])
        states = next_NV.gather(1, tokens[:, None])[:, 0]


def test_words_of_the_source_may_be_repeatable(model):
    run = model.readable.run
    maker = RuleMaker(run.config, run.source_tokenizer, run.target_tokenizer, run.reach, model.device)
    jobs = [LineIntake().job(line, [run]) for line in LINES]
    rules = maker.rules(jobs, Options(no_repeat=1, repeatable=("Zoltan",)))
    first = run.target_tokenizer.size - run.target_tokenizer.options.slots
    assert [list(tokens) for tokens in rules.repeatable] == [[first + 2], [first], []]
    rules = maker.rules(jobs, Options(no_repeat=1))
    assert rules.repeatable == ()
    options = {"max_length": 12, "min_length": 8, "beam": 1}
    once, again = (
        model.translate(LINES[2], options=Options(no_repeat=1, repeatable=words, **options)).text.split()
        for words in ((), ("Vulmek",))
    )
    assert once.count("Vulmek") == 1
    assert again.count("Vulmek") > 1
