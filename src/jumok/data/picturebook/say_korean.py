"""A caption in Korean: relations are nouns with 에 after what they refer to, and the verb comes last."""

from jumok.data.phrasebook import korean, korean_words
from jumok.data.phrasebook.korean import Stem
from jumok.data.picturebook.telling import Group, Statement, Token

_SHAPES = {
    "circle": "원", "square": "네모", "triangle": "세모", "star": "별", "heart": "하트", "diamond": "마름모",
    "cross": "십자가", "moon": "초승달",
}  # fmt: skip
# A stem with its irregular class, or a noun that stands before another as it is.
_COLOURS: dict[str, Stem | str] = {
    "red": Stem("빨갛", "ㅎ", action=False), "yellow": Stem("노랗", "ㅎ", action=False),
    "blue": Stem("파랗", "ㅎ", action=False), "black": Stem("까맣", "ㅎ", action=False),
    "orange": "주황색", "green": "초록색", "purple": "보라색",
}  # fmt: skip
_SIZES = {"small": Stem("작", action=False), "big": Stem("크", action=False)}
_RELATIONS = {"left": "왼쪽에", "above": "위에", "inside": "안에", "between": "사이에"}
_BE = Stem("있", action=False, present=True)


def say(statements: tuple[Statement, ...]) -> list[Token]:
    """The words of the caption, without full stop."""
    out: list[Token] = []
    for number, statement in enumerate(statements):
        last = number == len(statements) - 1
        verb = korean.finish(_BE, "present", "polite")[0] if last else _BE.text + "고,"
        out += [*_places(statement), (verb, (), "other")]
    return out


def _places(statement: Statement) -> list[Token]:
    out = _phrase(statement.subject, "subject")
    for number, other in enumerate(statement.others):
        more = number < len(statement.others) - 1
        out += _phrase(other, "and" if more else "none")
    if statement.relation:
        out.append((_RELATIONS[statement.relation], (), "relation"))
    return out


def _phrase(group: Group, case: str) -> list[Token]:
    look, things = group.look, group.things
    colour = _COLOURS[look.colour]
    hue = colour if isinstance(colour, str) else korean.modifier(colour, "present")
    words = [(korean.modifier(_SIZES[look.size], "present"), "size"), (hue, "colour")]
    if look.filling == "hollow":
        words = [("속이", "filling"), ("빈", "filling"), *words]
    if look.filling == "striped":
        words.append(("줄무늬", "filling"))
    shape = _SHAPES[look.shape]
    if group.many:
        counter = korean.particle("개", case)
        words += [(shape, "shape"), (korean_words.NUMBERS[len(things)], "number"), (counter, "number")]
    else:
        words.append((korean.particle(shape, case), "shape"))
    return [(word, things, kind) for word, kind in words]
