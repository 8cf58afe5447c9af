"""Attention as score × scope × align: every published mechanism is one choice of each.

from jumok.attention import build
attend = build("bahdanau", query_dim=256, key_dim=512)
out = attend(query_BTQ, keys_BSK, mask=mask_B1S)      # out.context, out.weights, out.scores
"""

from jumok.attention import papers as papers  # fills the catalogue
from jumok.attention.align import Align
from jumok.attention.attention import Attended, Attention, Prepared
from jumok.attention.catalog import (
    Mechanism,
    add_mechanism,
    build,
    catalog,
    find,
    load_plugins,
    register,
)
from jumok.attention.coverage import StatefulScore
from jumok.attention.kernel_regression import nadaraya_watson, plain_mean, unnormalised
from jumok.attention.multihead import MultiHead
from jumok.attention.scope import Scope, View
from jumok.attention.score import PositionalScore, Score

__all__ = [
    "Align",
    "Attended",
    "Attention",
    "Mechanism",
    "MultiHead",
    "PositionalScore",
    "Prepared",
    "Scope",
    "Score",
    "StatefulScore",
    "View",
    "add_mechanism",
    "build",
    "catalog",
    "find",
    "load_plugins",
    "nadaraya_watson",
    "plain_mean",
    "register",
    "unnormalised",
]
