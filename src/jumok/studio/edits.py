"""The edits of a request, as the inspector makes them."""

from collections.abc import Sequence

from jumok.inspect.sentence import Subject
from jumok.inspect.what_if import Begin, Erase, Force, Plan, SetWeight, SetWeights, Teach, plan_edits
from jumok.inspect.what_if import Edit as Made
from jumok.studio.payload_steps import BlankEdit, Edit, ForceEdit, PrefixEdit, TeacherEdit, WeightEdit, WeightsEdit
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.studio.targets import Target, check_length, read_target, whole_target


def plan_of(session: Session, sentence: Subject, edits: Sequence[Edit], original: Sequence[int]) -> Plan:
    """What the edits of a request come to; `original` is what the model wrote without them."""
    return plan_edits(session.inspector, sentence, [made(session, sentence, edit) for edit in edits], original)


def made(session: Session, sentence: Subject, edit: Edit) -> Made:
    """One edit, with its texts as tokens."""
    match edit:
        case WeightEdit():
            return SetWeight(edit.at, edit.source, edit.value, edit.layer, edit.head, edit.renormalise)
        case WeightsEdit():
            return SetWeights(edit.at, edit.values, edit.layer, edit.head)
        case BlankEdit():
            return Erase(edit.word, edit.how)
        case ForceEdit():
            return Force(edit.at, edit.token)
        case PrefixEdit():
            return Begin(prefix_ids(session, sentence, edit))
        case TeacherEdit():
            return Teach(read_target(session, edit.reference, sentence).ids)


def reference_of(session: Session, sentence: Subject, edits: Sequence[Edit]) -> Target | None:
    """The target that teacher forcing gives, with what should be known of it."""
    given = (edit.reference for edit in edits if isinstance(edit, TeacherEdit))
    return next((read_target(session, reference, sentence) for reference in given), None)


def prefix_ids(session: Session, sentence: Subject, edit: PrefixEdit) -> tuple[int, ...]:
    """The ids that an output must begin with."""
    if (edit.tokens is None) == (edit.text is None):
        raise invalid("A prefix is given as tokens or as text, one of the two.")
    if edit.tokens is None:
        return whole_target(session, edit.text or "", sentence)
    check_length(session, edit.tokens)
    session.inspector.check_tokens(edit.tokens)
    return tuple(edit.tokens)
