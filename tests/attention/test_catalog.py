"""The catalogue: the names others rely on, and the door for your own parts."""

import pytest
import torch

from jumok.attention import (
    Align,
    Attention,
    Mechanism,
    MultiHead,
    Normaliser,
    Scope,
    Score,
    View,
    build,
    catalog,
    load_plugins,
    register,
)
from jumok.attention.catalog import MECHANISMS, NORMALISERS, SCOPES, SCORES
from jumok.errors import UnknownNameError

PROMISED = {
    "dot",
    "scaled_dot",
    "general",
    "additive",
    "concat",
    "perceptron",
    "cosine",
    "location",
    "kernel",
    "uniform",
    "bahdanau",
    "luong-dot",
    "luong-general",
    "luong-concat",
    "luong-location",
    "luong-local-m",
    "luong-local-p",
    "nadaraya-watson",
    "transformer",
    "hard",
    "sparsemax",
    "entmax15",
}


pytestmark = pytest.mark.usefixtures("own_catalogue")


def test_every_promised_name_is_there_with_its_paper():
    entries = {mechanism.name: mechanism for mechanism in catalog()}
    assert set(entries) >= PROMISED
    for entry in entries.values():
        assert entry.paper
        assert entry.good_for
        assert entry.good_for_ko
        assert entry.score in SCORES
        assert entry.scope in SCOPES
        assert entry.normalise in NORMALISERS


def test_no_heads_is_one_attention_of_the_mechanism():
    assert isinstance(build("transformer", query_dim=6, key_dim=6, heads=None), Attention)
    assert isinstance(build("transformer", query_dim=6, key_dim=6, heads=3), MultiHead)


def test_every_part_says_its_formula():
    for family in (SCORES, SCOPES, NORMALISERS):
        for name, part in family.items():
            assert part.name == name
            assert part.formula


def test_a_score_of_your_own():
    @register(paper="mine", good_for="nothing yet")
    class Manhattan(Score):
        """−|q − k_i|₁."""

        name = "manhattan"

        def forward(self, query, keys):
            return -torch.cdist(query, keys, p=1)

    out = build("manhattan", query_dim=3, key_dim=3)(torch.randn(2, 4, 3), torch.randn(2, 5, 3))
    torch.testing.assert_close(out.weights.sum(-1), torch.ones(2, 4))
    assert build("manhattan", query_dim=3, key_dim=3, heads=2)(torch.randn(2, 4, 3), torch.randn(2, 5, 3))
    assert MECHANISMS["manhattan"].paper == "mine"


def test_a_scope_and_an_align_of_your_own():
    @register
    class EverySecond(Scope):
        """Even positions."""

        name = "even"

        def forward(self, query, positions, lengths, size):
            return View(mask=(torch.arange(size) % 2 == 0)[None, :])

    @register
    class Squares(Normaliser):
        """Squares of positive scores, normalised."""

        name = "squares"

        def forward(self, scores):
            squares = scores.clamp_min(0).square() + 1e-9
            return squares / squares.sum(-1, keepdim=True)

    query, keys = torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    assert (build("even", query_dim=3, key_dim=3)(query, keys).weights[..., 1::2] == 0).all()
    both = build("dot", query_dim=3, key_dim=3, scope="even", align="squares")(query, keys)
    assert both.context.isfinite().all()


def test_a_file_of_your_own(tmp_path):
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from jumok.attention import Score, register\n"
        "@register\nclass Negative(Score):\n    '''−qᵀk.'''\n    name = 'negative'\n"
        "    def forward(self, query, keys):\n        return -query @ keys.mT\n"
    )
    load_plugins([plugin])
    assert build("negative", query_dim=3, key_dim=3)
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_that_name\n")
    with pytest.raises(UnknownNameError, match=r"broken\.py failed"):
        load_plugins([broken])
    with pytest.raises(UnknownNameError, match="no plugin file"):
        load_plugins([tmp_path / "absent.py"])


def test_a_part_needs_a_name_and_a_family():
    with pytest.raises(UnknownNameError, match="name"):

        @register
        class Nameless(Score):
            def forward(self, query, keys):
                return query @ keys.mT

    with pytest.raises(UnknownNameError, match="subclass"):

        @register
        class Stranger:
            name = "stranger"


def test_the_former_name_of_normalise_is_still_accepted():
    query, keys = torch.randn(1, 2, 3), torch.randn(1, 5, 3)
    new = build("dot", query_dim=3, key_dim=3, normalise="sparsemax")
    old = build("dot", query_dim=3, key_dim=3, align="sparsemax")
    assert torch.equal(new(query, keys).weights, old(query, keys).weights)
    assert (new(query, keys).weights == 0).any()
    assert Mechanism("x", score="dot", align="entmax15").normalise == "entmax15"
    assert Align is Normaliser
