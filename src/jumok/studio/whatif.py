"""What if: the sentence decoded again with a weight moved, a word blanked, a word forced, or the teacher at hand."""

import math
from collections.abc import Sequence
from difflib import SequenceMatcher

from jumok.studio.edits import plan_of, reference_of
from jumok.studio.payload_steps import Change, WhatIfAnswer, WhatIfRequest
from jumok.studio.reading import read, rounded
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source


def what_if(session: Session, request: WhatIfRequest) -> WhatIfAnswer:
    """The original, the sentence under the edits, and what changed between them.

    The original is searched with the same beam. Then the words before the first edited step are kept and the model
    continues from there; with beam 1 both are greedy, so an edit that changes no number changes no word.
    """
    source, replay = read_source(session, request.text, request.picture), session.inspector.replay
    found = session.search(source.plan, request.beam).best[0]
    original = replay(source.plan, found.ids)
    plan = plan_of(session, source.sentence, request.edits, found.ids)
    if plan.first is None:
        ids, score, truncated = found.ids, found.score, found.truncated
    elif plan.reference is not None:
        ids, score, truncated = plan.reference, None, False
    else:
        best = session.search(plan, request.beam).best[0]
        ids, score, truncated = best.ids, best.score, best.truncated
    edited = replay(plan, ids)
    unedited = original if ids == found.ids else replay(source.plan, ids)
    original_edited = edited if ids == found.ids else replay(plan, found.ids)
    reference = reference_of(session, source.sentence, request.edits)
    notes = source.notes if reference is None else (*source.notes, *reference.notes)
    tokens = [session.tokenizer_about(source.sentence).names(side) for side in (found.ids, ids)]
    return WhatIfAnswer(
        original=read(session, original, found.score, found.truncated, notes=source.notes),
        edited=read(session, edited, score, truncated, notes=notes),
        forced=None if reference is None else read(session, unedited, notes=notes),
        same=ids == found.ids,
        difference=difference(tokens[0], tokens[1]),
        from_step=len(found.ids) + 1 if plan.first is None else plan.first,
        change_of_edited=_change(edited.log_prob, unedited.log_prob),
        change_of_original=_change(original_edited.log_prob, original.log_prob),
    )


def _change(after: float, before: float) -> float | None:
    return rounded(after - before, 6) if math.isfinite(after) and math.isfinite(before) else None


def difference(original: Sequence[str], edited: Sequence[str]) -> list[Change]:
    """What stayed, went and came, from left to right."""
    changes: list[Change] = []
    for tag, a, b, c, d in SequenceMatcher(None, list(original), list(edited), autojunk=False).get_opcodes():
        if tag == "equal":
            changes.append(Change(kind="same", tokens=list(original[a:b]), original_at=a, edited_at=c))
            continue
        if b > a:
            changes.append(Change(kind="removed", tokens=list(original[a:b]), original_at=a, edited_at=c))
        if d > c:
            changes.append(Change(kind="added", tokens=list(edited[c:d]), original_at=b, edited_at=c))
    return changes
