"""A typed text, or a picture, as the model reads it and as answers tell it."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from jumok.data.images import Picture, png_bytes
from jumok.inspect.sentence import Sentence, Subject
from jumok.inspect.sight import Sight
from jumok.inspect.what_if import Plan
from jumok.models.layout import Layout
from jumok.shapes import UNK
from jumok.studio.payload import Note, PictureRead, Side, Token
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.text.normal import words_of


@dataclass(frozen=True)
class Source:
    """A sentence or a picture, and what the reader should know about it."""

    sentence: Subject
    notes: tuple[Note, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words, or the names of the regions."""
        return self.sentence.layout.units

    @property
    def text(self) -> str:
        """The sentence as one line, or the id of the picture."""
        return title_of(self.sentence)

    @property
    def plan(self) -> Plan:
        """The sentence without any edit."""
        return Plan(self.sentence)


def read_source(session: Session, text: str, picture: str | None = None) -> Source:
    """What a request asks about, as the model reads it: a typed text, or the picture of an id."""
    if session.reads_pictures:
        if picture is None:
            raise invalid(f"The run '{session.named.id}' reads pictures; name one by `picture`.")
        found = session.pictures.get(picture)
        return Source(session.inspector.look_at(Picture(found.pixels_HW3, found.id)))
    if picture is not None:
        raise invalid(f"The run '{session.named.id}' reads text, not pictures; give it a `text`.")
    return read_text(session, text)


def read_text(session: Session, text: str) -> Source:
    """The source of a typed text, cut to what the studio and the model take."""
    typed = words_of(text)
    if not typed:
        raise invalid("There is no word in the text; type a sentence.")
    longest = session.inspector.longest_source
    sentence = Sentence.of_text(text, session.run.source_tokenizer, longest, session.most_words)
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
    """The sentence as it was written, or the regions of a picture."""
    written = sentence.written if isinstance(sentence, Sentence) else tuple(sentence.columns)
    return side_of(title_of(sentence), sentence.layout.units, written, sentence.layout)


def title_of(subject: Subject) -> str:
    """What a subject is called in tables and files."""
    return subject.text if isinstance(subject, Sentence) else getattr(subject, "name", "")


def picture_read(subject: Subject) -> PictureRead | None:
    """The picture that a model reads, with what was erased; None for a sentence."""
    if not isinstance(subject, Sight):
        return None
    high, wide = subject.pixels_HW3.shape[:2]
    png = base64.b64encode(png_bytes(subject.pixels_HW3)).decode()
    rows, columns = subject.layout.shape
    return PictureRead(id=subject.name, png=png, width=wide, height=high, rows=rows, columns=columns)
