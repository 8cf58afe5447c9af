"""How a mechanism looks at each step: hard attention's draw, local attention's window and Gaussian."""

from collections.abc import Sequence

import numpy as np
import torch

from jumok.attention import Attention
from jumok.attention.scope import Local
from jumok.inspect.numbers import Array
from jumok.inspect.record import as_array, over_source
from jumok.inspect.steps import Look
from jumok.inspect.what_if import Plan
from jumok.studio.forcing import given_pair, target_side
from jumok.studio.payload import Matrix
from jumok.studio.payload_lessons import LooksAnswer, LooksRequest, Window
from jumok.studio.problems import invalid
from jumok.studio.reading import matrix
from jumok.studio.sessions import Session
from jumok.studio.sources import source_side


@torch.inference_mode()
def looks(session: Session, request: LooksRequest) -> LooksAnswer:
    """The weights of each step of the target, and what they were made from."""
    inspector = session.inspector
    if len(inspector.looks) != 1 or not isinstance(inspector.looks[0], Attention):
        raise invalid(f"The run '{session.named.id}' has not exactly one attention over the source; choose another.")
    source, ids = given_pair(session, request.text, request.target, 0)
    mechanism = inspector.looks[0]
    found = [step.look(0) for step in inspector.steps(Plan(source), ids)]
    hard = mechanism.normaliser.name == "hard"
    return LooksAnswer(
        run=session.ref,
        source=source_side(source),
        target=target_side(session, source, ids),
        weights=_matrix(_rows(found, "weights", source.width)),
        drawn_from=_matrix(_rows(found, "p", source.width)) if hard else None,
        window=_window(mechanism, found, source.width),
    )


def _matrix(rows_TS: Array) -> Matrix:
    """Rows to full precision: a small weight is not a weight of zero, and here that is the question."""
    return Matrix(shape=list(rows_TS.shape), data=[*rows_TS.ravel().tolist()])


def _rows(found: Sequence[Look], name: str, size: int) -> Array:
    """A term over the source of every step as [T, S]."""
    return np.stack([over_source(look.terms[name], look.terms, size, 0.0).value for look in found])


def _window(mechanism: Attention, found: Sequence[Look], size: int) -> Window | None:
    """Centre, width and Gaussian of a local scope; None where every position is seen."""
    scope = mechanism.scope
    if not isinstance(scope, Local):
        return None
    centre_T = torch.tensor([float(look.terms["centre"].value[0]) for look in found])
    offset_TS = torch.arange(size, device=centre_T.device) - centre_T[:, None]
    gain_TS = scope.gain(offset_TS)
    inside_TS = scope.inside(offset_TS)
    return Window(
        centres=[round(value, 4) for value in centre_T.tolist()],
        half=scope.D,
        sigma=None if gain_TS is None else scope.D / 2,
        gaussian=None if gain_TS is None else matrix(as_array(gain_TS * inside_TS)),
    )
