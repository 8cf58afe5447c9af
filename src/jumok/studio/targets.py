"""A target that is given, as text or as ids: read whole, or cut with a note, or refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from jumok.inspect.sentence import Subject
from jumok.shapes import BOS, EOS
from jumok.studio.payload import MAX_TARGET_TOKENS, Note
from jumok.studio.problems import invalid, too_large
from jumok.studio.sessions import Session
from jumok.text.normal import words_of


@dataclass(frozen=True)
class Target:
    """The ids of a target (without EOS) that a model can read, and what the reader should know about them."""

    ids: tuple[int, ...]
    notes: tuple[Note, ...] = ()


def longest_target(session: Session) -> int:
    """How many target tokens the studio and the model take."""
    return min(MAX_TARGET_TOKENS, session.run.reach.target_tokens)


def read_target(session: Session, text: str, about: Subject) -> Target:
    """The target of a text about a source, cut to what can be read; a note says so."""
    tokenizer = session.tokenizer_about(about)
    whole = tokenizer.encode(text)
    ids = tuple(whole[: longest_target(session)])
    if len(ids) == len(whole):
        return Target(ids)
    left, typed = len(words_of(tokenizer.decode(ids))), len(words_of(text))
    message = f"The given target is too long: only its first {left} of {typed} words ({len(ids)} tokens) are read."
    return Target(ids, (Note(code="given_target_cut", message=message, count=left),))


def whole_target(session: Session, text: str, about: Subject) -> tuple[int, ...]:
    """The ids of a text that must not be cut, such as a prefix."""
    ids = tuple(session.tokenizer_about(about).encode(text))
    check_length(session, ids)
    return ids


def given_target(session: Session, text: str | None, ids: Sequence[int] | None, about: Subject) -> Target | None:
    """The target of a request, or None where none is given."""
    if text is not None and ids is not None:
        raise invalid("A target is given as text or as ids, not both.")
    if ids is None:
        return None if text is None else read_target(session, text, about)
    for one in ids:
        if one >= session.run.target_tokenizer.size or one in (BOS, EOS):
            raise invalid(f"The token {one} cannot be part of a target; leave out `<s>` and `</s>`.")
    check_length(session, ids)
    return Target(tuple(ids))


def check_length(session: Session, ids: Sequence[int]) -> None:
    """Raises where there are more target tokens than the studio or the model takes."""
    most = longest_target(session)
    if len(ids) > most:
        raise too_large(f"The text has {len(ids)} tokens; this run takes at most {most}. Shorten it.")
