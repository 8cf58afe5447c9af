"""A caption in French: adjectives agree with their noun, size stands before it, filling and colour after it."""

from jumok.data.phrasebook import french, french_words
from jumok.data.picturebook.telling import Group, Statement, Token, with_and

# shape → (noun, feminine)
_SHAPES = {
    "circle": ("cercle", False), "square": ("carré", False), "triangle": ("triangle", False), "star": ("étoile", True),
    "heart": ("cœur", False), "diamond": ("losange", False), "cross": ("croix", True), "moon": ("lune", True),
}  # fmt: skip
_COLOURS = {
    "red": "rouge", "orange": "orange", "yellow": "jaune", "green": "vert", "blue": "bleu", "purple": "violet",
    "black": "noir",
}  # fmt: skip
_INVARIABLE = ("orange",)  # the name of a fruit
_SIZES = {"small": "petit", "big": "grand"}
_FILLINGS = {"hollow": "vide", "striped": "rayé"}
_RELATIONS = {"left": "à gauche de", "above": "au-dessus de", "inside": "dans", "between": "entre"}
_CLASSES = ("number", "size", "filling", "colour", "shape", "relation", "other")


def say(statements: tuple[Statement, ...]) -> list[Token]:
    """The words of the caption, without capitals and full stop."""
    return _joined(with_and([_statement(statement) for statement in statements], "et"))


def _statement(statement: Statement) -> list[Token]:
    subject = statement.subject
    if not statement.relation:
        return [("il", (), "other"), ("y", (), "other"), ("a", (), "other"), *_phrase(subject)]
    out = [*_phrase(subject), ("sont" if subject.many else "est", (), "other")]
    out += [(word, (), "relation") for word in _RELATIONS[statement.relation].split()]
    for number, other in enumerate(statement.others):
        out += ([("et", (), "other")] if number else []) + _phrase(other)
    return out


def _phrase(group: Group) -> list[Token]:
    look, things, many = group.look, group.things, group.many
    noun, feminine = _SHAPES[look.shape]
    colour = _COLOURS[look.colour]
    hue = colour if colour in _INVARIABLE else french.agree(colour, feminine, many)
    words = [
        (french.agree(_SIZES[look.size], feminine, many), "size"),
        (french.plural(noun) if many else noun, "shape"),
        (hue, "colour"),
    ]
    if look.filling != "plain":
        words.append((french.agree(_FILLINGS[look.filling], feminine, many), "filling"))
    if many:
        return [(word, things, kind) for word, kind in ((french_words.NUMBERS[len(things)], "number"), *words)]
    return [("une" if feminine else "un", (), "other"), *((word, things, kind) for word, kind in words)]


def _joined(tokens: list[Token]) -> list[Token]:
    """The words as they are written (d'un, d'une); a joined word speaks of what its parts speak of."""
    numbered = [(word, (place,)) for place, (word, _, _) in enumerate(tokens)]
    out: list[Token] = []
    for word, places in french.joints(numbered):
        things = tuple(dict.fromkeys(thing for place in places for thing in tokens[place][1]))
        kind = min((tokens[place][2] for place in places), key=_CLASSES.index)
        out.append((word, things, kind))
    return out
