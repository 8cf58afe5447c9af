"""Every term of every mechanism says what its dimensions run over, and they are as long as that: sizes are primes."""

import pytest
import torch

from jumok.attention import build, catalog
from jumok.attention.score import Dot

B, T, S, SIZE, D = 2, 3, 11, 5, 7
HEADS = 2


def terms_of(name, **options):
    heads = {"heads": HEADS, "head_dim": 13} if name == "transformer" else {}
    if "D" in options or name.startswith("luong-local"):
        options.setdefault("D", 1)
    attend = build(name, query_dim=SIZE, key_dim=SIZE, **heads, **options).double().eval()
    values = None if heads else torch.randn(B, S, D, dtype=torch.float64)
    query, keys = torch.randn(B, T, SIZE, dtype=torch.float64), torch.randn(B, S, SIZE, dtype=torch.float64)
    return attend(query, keys, values).terms


CASES = [(one.name, {}) for one in catalog()]
CASES += [("transformer", {"scope": scope}) for scope in ("local_m", "local_p", "causal")]
CASES += [("transformer", {"score": score}) for score in ("additive", "coverage", "location")]
CASES += [("luong-local-m", {"score": score}) for score in ("location", "concat", "perceptron", "kernel")]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_axes_are_as_long_as_they_say(name, options):
    options = dict(options) | ({"D": 1} if options.get("scope", "").startswith("local") else {})
    sizes = {"target": T, "source": S, "window": 3, "head": HEADS}
    found = terms_of(name, **options)
    assert {"scores", "weights", "context"} <= set(found)
    for label, term in found.items():
        named = term.value.shape[term.batch_dims :]
        assert term.batch_dims <= 1, label
        assert (term.batch_dims == 0) or not term.constant, label
        for axis, size in zip(term.axes, named, strict=True):
            # A mask or a centre that is the same for all queries may be stored once.
            assert axis not in sizes or size == sizes[axis] or (axis == "target" and size == 1), (label, term.axes)
    if name != "transformer":
        assert found["context"].value.shape[-1] == D


def test_a_bare_tensor_of_a_plugin_is_a_term_without_named_axes():
    attend = build("dot", query_dim=SIZE, key_dim=SIZE).double()

    class Plugin(Dot):
        def terms(self, query, keys):
            return {"squares": query.square(), "β": torch.tensor(2.0)}

    attend.score = Plugin(SIZE, SIZE)
    states = torch.randn(B, S, SIZE, dtype=torch.float64)
    found = attend(states[:, :T], states).terms
    assert found["squares"].axes == ("unnamed", "unnamed")
    assert found["β"].constant
    assert found["β"].axes == ()
