"""Self-attention by any mechanism of the catalogue: causal, stepped with a cache, refused where it cannot work."""

import pytest
import torch
from torch import Tensor

from jumok.attention import Score, build, catalog, register
from jumok.attention.catalog import MECHANISMS, SCORES
from jumok.attention.coverage import StatefulScore
from jumok.config import resolve
from jumok.data.sources import Tokens
from jumok.errors import ConfigError
from jumok.models.build import build_model, check_model
from jumok.models.self_attention import KeyValueCache, SelfAttention
from tests.models import zoo

LEARNED = {"hard": {"estimator": "gumbel"}, "window": {"w": 2}, "luong-local-m": {"D": 2}, "luong-local-p": {"D": 2}}
NAMES = [each.name for each in catalog() if not issubclass(SCORES[each.score], StatefulScore)]


def attention(name: str, *, causal: bool) -> SelfAttention:
    options = {"max_length": 13} if MECHANISMS[name].score == "location" else {}
    inner = build(name, query_dim=6, key_dim=6, heads=None, **options, **LEARNED.get(name, {}))
    return SelfAttention(12, 2, inner, causal=causal, rotary=False).double().eval()


@pytest.mark.parametrize("name", NAMES)
def test_a_later_word_changes_nothing_before_it(name):
    torch.manual_seed(3)
    own = attention(name, causal=True)
    states = torch.randn(2, 7, 12, dtype=torch.float64)
    changed = states.clone()
    changed[:, 4:] = torch.randn(2, 3, 12, dtype=torch.float64)
    for need_weights in (True, False):
        before, after = (own(each, None, need_weights)[0] for each in (states, changed))
        torch.testing.assert_close(before[:, :4], after[:, :4])
        assert not torch.allclose(before[:, 4:], after[:, 4:])


@pytest.mark.parametrize("name", NAMES)
def test_stepping_with_the_cache_is_the_whole_pass(name):
    torch.manual_seed(4)
    own = attention(name, causal=True)
    states = torch.randn(2, 7, 12, dtype=torch.float64)
    whole, weights = own(states, None, True)
    assert weights is not None
    cache = KeyValueCache.empty()
    for t in range(7):
        one, row, cache = own.step(states[:, t], cache, True)
        torch.testing.assert_close(one, whole[:, t])
        assert row is not None
        torch.testing.assert_close(row[:, :, 0], weights[:, :, t, : t + 1])


@pytest.mark.parametrize("name", NAMES)
def test_the_config_takes_every_mechanism_on_both_sides(name):
    keys = {"encoder.attention": name, "decoder.self_attention": name}
    options = {f"{key}_options": LEARNED.get(name, {}) for key in keys}
    model = zoo.model(zoo.preset("transformer", **{k.replace(".", "__"): v for k, v in {**keys, **options}.items()}))
    source_BS, mask_BS, target_BT = zoo.batch()
    memory = model.encode(Tokens(source_BS, mask_BS), need_weights=True)
    assert len(memory.attention) == len(model.encoder.layers)
    decoded = model.decode(memory, target_BT, need_weights=True)
    assert decoded.attention.decoder[0].shape == (3, 3, 5, 5)


@pytest.mark.parametrize("key", ["model.encoder.attention", "model.decoder.self_attention"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["coverage"], "use it as model.decoder.attention"),
        (["hard"], "_options.estimator=gumbel"),
        (["transformer", "{heads: 2}"], "leave heads out of its options"),
        (["window", "{w: -1}"], "cannot be used"),
    ],
)
def test_what_cannot_work_is_refused_with_the_key(key, given, words):
    overrides = [f"{key}={given[0]}", *(f"{key}_options={options}" for options in given[1:])]
    with pytest.raises(ConfigError) as refused:
        check_model(resolve({"model.preset": "transformer"}, overrides).model)
    assert key in str(refused.value) or "heads" in str(refused.value)
    assert words in str(refused.value)


def test_a_mechanism_of_ones_own_attends_inside_a_transformer():
    @register
    class Nearest(Score):
        """−‖q − k_i‖."""

        name = "nearest-test"

        def forward(self, query: Tensor, keys: Tensor) -> Tensor:
            return -torch.cdist(query, keys)

    try:
        overrides = ["model.encoder.attention=nearest-test", "model.decoder.self_attention=nearest-test"]
        model = build_model(resolve({"model.preset": "transformer"}, overrides).model, 23, 29)
        assert isinstance(model.encoder.layers[0].attention.attend.score, Nearest)
        assert isinstance(model.decoder.layers[0].attention.attend.score, Nearest)
    finally:
        del SCORES["nearest-test"], MECHANISMS["nearest-test"]
