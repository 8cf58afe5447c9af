"""Which engine gets which options: none ever gets an option that it cannot do."""

from dataclasses import dataclass, fields, replace

import pytest

from jumok.decoding import options as choices
from jumok.decoding.engine import Abilities
from jumok.decoding.features import EVERYTHING, PLAIN_SEARCH, Feature
from jumok.decoding.length import Length
from jumok.decoding.options import NEEDS, Options, Sampling, check_rows
from jumok.decoding.scoring import Scoring
from jumok.decoding.torch_engine import TorchEngine
from jumok.decoding.translator import Translator
from tests.decoding.tiny_run import DEV

SOURCES = [source for source, _, _ in DEV[:5]]
BARE = Options(beam=1, scoring=Scoring("none"), unknown="keep", alignment=False)
# Options that need one feature and nothing else, for every feature.
ASKING = {
    Feature.BEAM: replace(BARE, beam=3),
    Feature.NBEST: replace(BARE, beam=3, nbest=2),
    Feature.LENGTH_PENALTY: replace(BARE, scoring=Scoring("gnmt")),
    Feature.COVERAGE_PENALTY: replace(BARE, scoring=Scoring("none", coverage=0.2)),
    Feature.SAMPLING: replace(BARE, sampling=Sampling(seed=2)),
    Feature.LENGTH_LIMITS: replace(BARE, min_length=2, max_length=7),
    Feature.WORD_LIMITS: replace(BARE, length=Length(2, 3)),
    Feature.NO_REPEAT: replace(BARE, no_repeat=1),
    Feature.FORBIDDEN_WORDS: replace(BARE, forbid=("le",)),
    Feature.REQUIRED_WORDS: replace(BARE, require=("le",)),
    Feature.PREFIX: replace(BARE, prefix="le"),
    Feature.UNKNOWN_WORDS: replace(BARE, unknown="forbid"),
    Feature.ALIGNMENT: replace(BARE, alignment=True),
    Feature.EVERY_HEAD: replace(BARE, attention=True),
    Feature.TREE: replace(BARE, tree=True),
}


class Limited:
    """An engine over torch that declares less than it can do, and notes what it is given."""

    name, visible = "limited", None

    def __init__(self, inner: TorchEngine, abilities: Abilities) -> None:
        self.inner, self.abilities, self.runs = inner, abilities, inner.runs
        self.given: list[Options] = []

    def search(self, lines, options, read):
        self.given.append(options)
        self.inner.search(lines, options, read)


def test_bare_options_need_nothing_and_every_feature_is_asked_for_by_some_option():
    assert BARE.needs() == frozenset()
    assert ASKING.keys() == EVERYTHING
    for feature, options in ASKING.items():
        assert options.needs() - {Feature.BEAM} == {feature} - {Feature.BEAM}
        assert feature in options.needs()


@pytest.mark.parametrize("feature", Feature)
def test_an_engine_without_a_feature_never_gets_an_option_that_needs_it(translators, feature):
    readable = translators["bahdanau"].readable
    lacking, able = (Limited(readable, Abilities(which)) for which in (EVERYTHING - {feature}, EVERYTHING))
    options = ASKING[feature]
    found = Translator([lacking]).translate(SOURCES, options=options)
    assert lacking.given == []
    assert found[0].run is not None  # the readable engine wrote it
    asked = Translator([lacking, able])
    assert asked.engine_for(BARE) is lacking
    assert asked.engine_for(options) is able
    assert [one.text for one in asked.translate(SOURCES, options=options)] == [one.text for one in found]


def test_a_beam_wider_than_the_engine_can_follow_goes_to_the_next(translators):
    readable = translators["bahdanau"].readable
    narrow = Translator([Limited(readable, Abilities(EVERYTHING, widest_beam=4)), readable])
    assert [narrow.engine_for(Options(beam=beam)).name for beam in (4, 5)] == ["limited", "torch"]


def test_the_readable_engine_does_everything():
    assert TorchEngine.abilities.features == EVERYTHING
    assert Options().needs() <= PLAIN_SEARCH


def test_an_option_without_a_row_is_refused():
    @dataclass(frozen=True)
    class More(Options):
        diverse: float = 0.0

    with pytest.raises(TypeError, match="diverse"):
        check_rows(More, NEEDS[Options])
    with pytest.raises(KeyError):
        More(diverse=1.0).needs()
    for kind in (Options, Scoring, Sampling):
        assert [*NEEDS[kind]] == [field.name for field in fields(kind)]
        with pytest.raises(TypeError, match=kind.__name__):
            check_rows(kind, {name: row for name, row in NEEDS[kind].items() if name != fields(kind)[0].name})
    assert choices.needs_of(Scoring("none")) == frozenset()
