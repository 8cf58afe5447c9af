"""A caption in English."""

from jumok.data.phrasebook import english
from jumok.data.picturebook.telling import Group, Statement, Token, with_and

_RELATIONS = {"left": ("left", "of"), "above": ("above",), "inside": ("inside",), "between": ("between",)}


def say(statements: tuple[Statement, ...]) -> list[Token]:
    """The words of the caption, without capitals and full stop."""
    return with_and([_statement(statement) for statement in statements], "and")


def _statement(statement: Statement) -> list[Token]:
    be: Token = ("are" if statement.subject.many else "is", (), "other")
    if not statement.relation:
        return [("there", (), "other"), be, *_phrase(statement.subject)]
    out = [*_phrase(statement.subject), be]
    out += [(word, (), "relation") for word in _RELATIONS[statement.relation]]
    for number, other in enumerate(statement.others):
        out += ([("and", (), "other")] if number else []) + _phrase(other)
    return out


def _phrase(group: Group) -> list[Token]:
    look, things = group.look, group.things
    filling = [] if look.filling == "plain" else [(look.filling, "filling")]
    shape = english.plural(look.shape) if group.many else look.shape
    words = [(look.size, "size"), *filling, (look.colour, "colour"), (shape, "shape")]
    if group.many:
        first = (english.number(len(things)), "number")
    else:
        first = (english.article(words[0][0]), "other")
    return [(word, () if kind == "other" else things, kind) for word, kind in (first, *words)]
