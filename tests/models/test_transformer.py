"""The Transformer: ours is torch's; the cache and the positions keep their laws."""

import pytest
import torch
from torch import nn

from jumok.attention import build
from jumok.models.embedding import LearnedPositions, NoPositions, SinusoidalPositions
from jumok.models.feed_forward import FeedForward
from jumok.models.self_attention import KeyValueCache, SelfAttention
from jumok.models.transformer import EncoderLayer, LayerForm
from tests.models import zoo


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_encoder_layer_is_torchs(norm):
    torch.manual_seed(2)
    form = LayerForm(12, 3, 17, norm, dropout=0.0)
    ours = EncoderLayer(form, build("scaled_dot", query_dim=4, key_dim=4)).double().eval()
    theirs = nn.TransformerEncoderLayer(12, 3, 17, 0.0, batch_first=True, norm_first=norm == "pre").double().eval()
    with torch.no_grad():
        for mine, other in (
            (ours.attention.W_qkv.weight, theirs.self_attn.in_proj_weight),
            (ours.attention.W_o.weight, theirs.self_attn.out_proj.weight),
            (ours.feed_forward.W_1.weight, theirs.linear1.weight),
            (ours.feed_forward.W_2.weight, theirs.linear2.weight),
            (ours.attention.W_qkv.bias, theirs.self_attn.in_proj_bias),
            (ours.attention.W_o.bias, theirs.self_attn.out_proj.bias),
            (ours.feed_forward.W_1.bias, theirs.linear1.bias),
            (ours.feed_forward.W_2.bias, theirs.linear2.bias),
        ):
            other.copy_(mine.uniform_(-0.5, 0.5))
    _, mask_BS, _ = zoo.batch()
    states_BSD = torch.randn(3, 11, 12, dtype=torch.float64)
    expected = theirs(states_BSD, src_key_padding_mask=~mask_BS)
    for need_weights in (False, True):
        states, weights = ours(states_BSD, mask_BS, need_weights)
        torch.testing.assert_close(states[mask_BS], expected[mask_BS])
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


def test_rotary_attention_depends_on_distance_alone():
    torch.manual_seed(2)
    attention = SelfAttention(12, 2, build("scaled_dot", query_dim=6, key_dim=6), causal=True, rotary=True).double()
    states_BTD = torch.randn(1, 1, 12, dtype=torch.float64).expand(1, 7, 12)
    query, keys, _ = attention.project(states_BTD, 0)
    scores = (query @ keys.mT)[0, 0]
    for distance in range(1, 6):
        torch.testing.assert_close(scores.diagonal(-distance), scores[distance, 0].expand(7 - distance))
    later_query, later_keys, _ = attention.project(states_BTD, 40)
    torch.testing.assert_close((later_query @ later_keys.mT)[0, 0], scores)


@pytest.mark.parametrize("positions", [SinusoidalPositions(6), LearnedPositions(6, 20), NoPositions()], ids=repr)
def test_positions_of_a_step_are_those_of_the_whole(positions):
    words_BTD = torch.randn(2, 9, 6)
    whole = positions(words_BTD)
    for t in range(9):
        torch.testing.assert_close(positions(words_BTD[:, t : t + 1], t), whole[:, t : t + 1])


def test_sinusoids_are_those_of_the_paper():
    vectors = SinusoidalPositions(6)(torch.zeros(1, 5, 6, dtype=torch.float64))[0]
    for i in range(5):
        for k in range(3):
            angle = torch.tensor(i / 10_000 ** (2 * k / 6), dtype=torch.float64)
            torch.testing.assert_close(vectors[i, 2 * k : 2 * k + 2], torch.stack([angle.sin(), angle.cos()]))


@torch.no_grad()
def test_a_cache_grows_without_touching_those_it_came_from():
    words = [torch.randn(2, 3, 5, 1, 7) for _ in range(40)]
    cache, caches = KeyValueCache.empty(), []
    for word in words:
        cache = cache.append(word)
        caches.append(cache)
    other = caches[9].append(words[0])
    for length, old in enumerate(caches, 1):
        torch.testing.assert_close(old.both, torch.cat(words[:length], -2))
    torch.testing.assert_close(other.both, torch.cat([*words[:10], words[0]], -2))
    # Room is doubled: 40 words move to new room three times, not forty.
    assert len({id(old.buffer) for old in caches}) == 3
    picked = cache.select(torch.tensor([2, 2]))
    torch.testing.assert_close(picked.both, torch.cat(words, -2)[:, [2, 2]])


def test_the_feed_forward_network_as_one_operation_is_the_formula():
    torch.manual_seed(3)
    network = FeedForward(5, 11).double()
    states = torch.randn(2, 7, 5, dtype=torch.float64, requires_grad=True)
    inputs = (states, *network.parameters())
    found, expected = network(states), network.plain(states)
    torch.testing.assert_close(found, expected)
    slope = torch.randn_like(found)
    gradients = [torch.autograd.grad(out, inputs, slope) for out in (found, expected)]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("activation", ["relu", "swish", "gelu"])
def test_every_activation_is_torchs_with_and_without_a_gradient(activation):
    theirs = {"relu": nn.ReLU(), "swish": nn.SiLU(), "gelu": nn.GELU()}[activation]
    ours = FeedForward(7, 11, activation).double()
    states = torch.randn(3, 5, 7, dtype=torch.float64, requires_grad=True)
    expected = ours.W_2(theirs(ours.W_1(states)))
    torch.testing.assert_close(ours(states), expected)
    [mine], [other] = (torch.autograd.grad(one.square().sum(), states) for one in (ours(states), expected))
    torch.testing.assert_close(mine, other)
    with torch.no_grad():
        torch.testing.assert_close(ours(states), expected)


@pytest.mark.parametrize("size", [8, 7])
def test_halves_are_the_same_waves_in_another_order(size):
    words = torch.zeros(1, 13, size, dtype=torch.float64)
    woven, halves = SinusoidalPositions(size)(words)[0], SinusoidalPositions(size, halves=True)(words)[0]
    torch.testing.assert_close(torch.cat([woven[:, 0::2], woven[:, 1::2]], dim=-1), halves)
    torch.testing.assert_close(SinusoidalPositions(size, halves=True)(words[:, :4], first=9)[0], halves[9:])
