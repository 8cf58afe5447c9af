"""Attention as score × scope × normalise: every published mechanism is one choice of each.

from jumok.attention import build
attend = build("bahdanau", query_dim=256, key_dim=512)
out = attend(query_BTQ, keys_BSK, mask=mask_B1S)      # out.context, out.weights, out.scores
"""

from jumok.attention import papers as papers  # fills the catalogue
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
from jumok.attention.normalise import Normaliser
from jumok.attention.scope import Scope, View
from jumok.attention.score import PositionalScore, Score
from jumok.attention.terms import Term

Align = Normaliser
"""Its former name, for files that use it."""

__all__ = [
    "Align",
    "Attended",
    "Attention",
    "Mechanism",
    "MultiHead",
    "Normaliser",
    "PositionalScore",
    "Prepared",
    "Scope",
    "Score",
    "StatefulScore",
    "Term",
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
