"""What if: the sentence decoded again with a weight moved, a word blanked, a word forced, or the teacher at hand."""

import math
from collections.abc import Sequence
from difflib import SequenceMatcher

from jumok.studio.edits import Plan, plan
from jumok.studio.payload_steps import Change, WhatIfAnswer, WhatIfRequest
from jumok.studio.reading import read, replay, rounded, search
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source


def what_if(session: Session, request: WhatIfRequest) -> WhatIfAnswer:
    """The original, the sentence under the edits, and what changed between them.

    The original is searched with the same beam. Then the words before the first edited step are kept and the model
    goes on from there; with beam 1 both are greedy, so an edit that changes no number changes no word.
    """
    source = read_source(session, request.text)
    found = search(session, Plan(source), request.beam).best[0]
    original = replay(session, Plan(source), found.ids)
    made = plan(session, source, request.edits, found.ids)
    if made.first is None:
        ids, score, truncated = found.ids, found.score, found.truncated
    elif made.reference is not None:
        ids, score, truncated = made.reference.ids, None, False
    else:
        best = search(session, made, request.beam).best[0]
        ids, score, truncated = best.ids, best.score, best.truncated
    edited = replay(session, made, ids)
    unedited = original if ids == found.ids else replay(session, Plan(source), ids)
    original_edited = edited if ids == found.ids else replay(session, made, found.ids)
    notes = () if made.reference is None else made.reference.notes
    tokens = [[session.target.token(one) for one in side] for side in (found.ids, ids)]
    return WhatIfAnswer(
        original=read(session, original, found.score, found.truncated),
        edited=read(session, edited, score, truncated, notes),
        forced=None if made.reference is None else read(session, unedited, about=notes),
        same=ids == found.ids,
        difference=difference(tokens[0], tokens[1]),
        from_step=len(found.ids) + 1 if made.first is None else made.first,
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
