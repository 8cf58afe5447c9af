"""Argos packages: what is in them, the splitter computed from its bytes, and what is refused.

Whether Argos Translate itself loads one is shown in an environment of its own: `make argos`.
"""

import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from jumok.cli.export import export
from jumok.engine.argos import export_argos
from jumok.engine.splitter import CLASSES, END, splitter
from jumok.errors import InputError, RunError, TextError
from jumok.run.folder import tokenizers_of
from jumok.text.protobuf import field, split, varint

TRAINED = Path(__file__).parent / "trained"
RUN = TRAINED / "transformer"


def parts(message: bytes, number: int) -> list[bytes]:
    """The contents of the fields of a number that hold bytes."""
    return [content(part) for found, part in split(message) if found == number]


def content(part: bytes) -> bytes:
    """A field of bytes without its key and its length."""
    rest = part[1:] if part[0] < 128 else part[2:]
    return rest[next(place for place, byte in enumerate(rest) if byte < 128) + 1 :]


def computed(model: bytes, text: str) -> list[str]:
    """The sentences of a text, by the table, kernel and bias that the file holds."""
    [graph] = parts(model, 7)
    tensors = {parts(one, 8)[0].decode(): np.frombuffer(parts(one, 9)[0], "<f4") for one in parts(graph, 5)}
    notes = {parts(one, 1)[0].decode(): parts(one, 2)[0].decode() for one in parts(model, 14)}
    ids = json.loads(notes["vocab"])["_unit2id"]
    kinds = tensors["kinds"].reshape(len(ids), -1)
    kernel = tensors["kernel"].reshape(CLASSES, kinds.shape[1], 4)
    seen = np.pad(kinds[[ids.get(character, ids["<UNK>"]) for character in text]], ((1, 2), (0, 0)))
    found, start = [], 0
    for place in range(len(text)):
        logits = np.einsum("ckw,wk->c", kernel, seen[place : place + 4]) + tensors["bias"]
        if logits.argmax() == END or place == len(text) - 1:
            found.append(text[start : place + 1].strip())
            start = place + 1
    return [sentence for sentence in found if sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Who is it?", "The doctor.", "Wait... Now!"][:2],
        ['He said: "It is late."', "Then he left!"],
        ["문을 여세요.", "오늘 누가 옵니까?", "네"],
        ["See e.g. the second page (about 3.5 cm) of it.", "Done"],
        ["네。", "알겠습니다！」", "끝"],
        ["one line without an end"],
    ],
)
def test_the_splitter_finds_sentences(sentences):
    text = " ".join(sentences).replace("。 ", "。").replace("」 ", "」")
    assert computed(splitter("en"), text) == sentences


def test_a_package_holds_what_argos_looks_for(tmp_path):
    export(RUN, to="argos", out=tmp_path / "a.argosmodel")
    export_argos(RUN, tmp_path / "b.argosmodel", ("en", "fr"))
    assert (tmp_path / "a.argosmodel").read_bytes() == (tmp_path / "b.argosmodel").read_bytes()
    archive = zipfile.ZipFile(io.BytesIO((tmp_path / "a.argosmodel").read_bytes()))
    names = {name.removeprefix("translate-en_fr/") for name in archive.namelist()}
    assert {"metadata.json", "sentencepiece.model", "minisbd/en.onnx", "model/model.bin", "model/config.json"} <= names
    about = json.loads(archive.read("translate-en_fr/metadata.json"))
    assert (about["from_code"], about["to_code"], about["from_name"]) == ("en", "fr", "English")
    tokenizer, _ = tokenizers_of(RUN)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=archive.read("translate-en_fr/sentencepiece.model"))
    for line in ("the doctor sleeps  at the hotel ", "é ½ 어제", "a"):
        # A piece that the vocabulary lacks is unknown to CTranslate2.
        known = [
            piece if piece in tokenizer.vocabulary.names else "<unk>" for piece in theirs.encode(line, out_type=str)
        ]
        assert known == tokenizer.tokens(line)


def test_what_argos_cannot_use_is_refused(tmp_path):
    with pytest.raises(RunError, match="no recurrent models"):
        export_argos(TRAINED / "luong", tmp_path / "a.argosmodel", ("en", "fr"))
    with pytest.raises(RunError, match="must end in"):
        export_argos(RUN, tmp_path / "a.zip", ("en", "fr"))
    with pytest.raises(RunError, match="--source-language"):
        export_argos(RUN, tmp_path / "a.argosmodel", ("?", "fr"))
    with pytest.raises(InputError, match="--to is one of"):
        export(RUN, to="onnx")
    assert not list(tmp_path.iterdir())


def test_fields_are_written_and_split():
    message = field(1, 300) + field(2, "가") + field(3, 1.5) + field(4, -1)
    assert [number for number, _ in split(message)] == [1, 2, 3, 4]
    assert varint(300) == b"\xac\x02"
    assert list(split(message))[2][1][1:] == struct.pack("<f", 1.5)
    for damaged in (message[:-1], b"\x0f", b"\xff" * 12):
        with pytest.raises(TextError, match="damaged"):
            list(split(damaged))
