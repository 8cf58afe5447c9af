"""What the parameters of a mechanism are called in its formula."""

import re

# Parameters whose name in the code is not the one of the formula: v alone is the value.
_IN_FORMULA = {"score.v": "v_a", "score.W_k.bias": "b_1"}


def formula_name(full: str) -> str:
    """The name of the formula: `W` for `score.W`, `v_a` for `score.v`, `W_p` for `scope.W_p.weight`."""
    name = full.removeprefix("attention.")
    if layer := re.fullmatch(r"score\.layers\.(\d+)\.(weight|bias)", name):
        # The second layer of a perceptron is the first of its list: the first one is W_q, W_k and b_1.
        return f"{'W' if layer[2] == 'weight' else 'b'}_{int(layer[1]) + 2}"
    return _IN_FORMULA.get(name) or plain_name(name)


def plain_name(full: str) -> str:
    """The name as the code has it, without the part it belongs to."""
    name = full.removeprefix("attention.").removesuffix(".weight")
    part, dot, rest = name.partition(".")
    return rest if dot and part in ("score", "scope", "align") else name
