"""A typed text as the model reads it and as answers tell it."""

from collections.abc import Sequence
from dataclasses import dataclass

from jumok.inspect.sentence import Sentence, Subject
from jumok.inspect.what_if import Plan
from jumok.models.layout import Layout
from jumok.shapes import UNK
from jumok.studio.payload import MAX_WORDS, Note, Side, Token
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.text.normal import words_of


@dataclass(frozen=True)
class Source:
    """A sentence, and what the reader should know about it."""

    sentence: Sentence
    notes: tuple[Note, ...]

    @property
    def plan(self) -> Plan:
        """The sentence without any edit."""
        return Plan(self.sentence)


def read_source(session: Session, text: str) -> Source:
    """The source of a typed text, cut to what the studio and the model take."""
    typed = words_of(text)
    if not typed:
        raise invalid("There is no word in the text; type a sentence.")
    longest = session.inspector.longest_source
    sentence = Sentence.of(typed[:MAX_WORDS], session.source, longest)
    words, notes = sentence.words, list[Note]()
    if len(words) < len(typed) or sentence.cut:
        left = len(typed) - len(words)
        message = f"Only the first {len(words)} words are shown and translated; {left} were left out."
        if left == 0:
            message = f"The last of {len(words)} words is cut: the model takes {longest} tokens."
        notes.append(Note(code="source_cut", message=message, count=len(words)))
    pairs = zip(sentence.written, sentence.layout.unit_of_position, strict=True)
    unknown = [words[word] for token, word in pairs if token == UNK]
    if unknown:
        shown = ", ".join(unknown[:5])
        notes.append(Note(code="unknown_words", message=f"The model does not know: {shown}.", words=unknown[:5]))
    return Source(sentence, tuple(notes))


def side_of(text: str, words: Sequence[str], ids: Sequence[int], layout: Layout) -> Side:
    """One side of a pair as answers tell it: its layout says how each token is shown and which word it is part of."""
    tokens = [
        Token(id=one, text=layout.label(position), word=word)
        for position, (one, word) in enumerate(zip(ids, layout.unit_of_position, strict=True))
    ]
    return Side(text=text, words=list(words), tokens=tokens)


def source_side(sentence: Subject) -> Side:
    """The sentence as it was written."""
    assert isinstance(sentence, Sentence), "a picture has no words to show"
    return side_of(sentence.text, sentence.words, sentence.written, sentence.layout)
