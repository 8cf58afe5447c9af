"""`jumok export --to argos`: a run as a package of Argos Translate, which LibreTranslate serves too.

metadata.json          languages and versions
model/                 the model in CTranslate2's format
sentencepiece.model    segments the source; its decoder also joins the output
minisbd/               our sentence splitter: the one that Argos would use otherwise is a download
"""

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from jumok.durable import write_file
from jumok.engine.ctranslate2_export import MAP, NOTE, why_not, write
from jumok.engine.packing import Precision
from jumok.engine.splitter import splitter
from jumok.engine.weights import Parts, load_parts
from jumok.errors import RunError, TextError
from jumok.output import MAKER, require_file_place
from jumok.run.names import CARD, MANIFEST
from jumok.text.tokenizer import standalone
from jumok.version import __version__

ENDING = ".argosmodel"
METADATA = "metadata.json"
MARK = f'"made_by": "{MAKER}"'
NAMES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip
# Time stamps would make two exports of one run different.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def export_argos(folder: Path, out: Path, languages: tuple[str, str], *, quantization: Precision = "float32") -> Path:
    """Writes a run as a package of Argos Translate.

    folder         the run folder
    out            the file to write; it ends in .argosmodel
    languages      codes of the source and the target language
    quantization   weights as float32 or int8
    """
    if out.suffix != ENDING:
        raise RunError(f"{out} must end in {ENDING}.")
    require_file_place(out, "an Argos package of Jumok", lambda head: head.startswith(b"PK") and MARK.encode() in head)
    run = load_parts(folder)
    if reason := why_not(run.config.model):
        raise RunError(f"{folder} cannot be exported to Argos, which uses CTranslate2: {reason}.")
    if "?" in languages:
        raise RunError(
            f"{folder} does not know its languages, which Argos asks for; name --source-language and --target-language."
        )
    try:
        pieces = standalone(run.source_tokenizer)
        standalone(run.target_tokenizer)
    except TextError as error:
        raise RunError(f"{folder} cannot be exported to Argos: {error}") from None
    files = {METADATA: _metadata(languages), "sentencepiece.model": pieces}
    files[f"minisbd/{languages[0]}.onnx"] = splitter(languages[0])
    if (folder / CARD).is_file():
        files[CARD] = (folder / CARD).read_bytes()
    write_file(out, _packed(f"translate-{'_'.join(languages)}", files | _model(run, quantization)))
    return out


def _metadata(languages: tuple[str, str]) -> bytes:
    source, target = languages
    tree = {
        "package_version": __version__,
        "argos_version": "1.9",
        "from_code": source,
        "from_name": NAMES.get(source, source),
        "to_code": target,
        "to_name": NAMES.get(target, target),
        "made_by": MAKER,
    }
    return (json.dumps(tree, indent=2) + "\n").encode("utf-8")


def _model(run: Parts, quantization: Precision) -> dict[str, bytes]:
    """The files of the CTranslate2 model, without our own notes."""
    with TemporaryDirectory() as folder:
        place = write(run, Path(folder) / "model", quantization)
        ours = {NOTE, MANIFEST, MAP}
        return {f"model/{path.name}": path.read_bytes() for path in sorted(place.iterdir()) if path.name not in ours}


def _packed(name: str, files: dict[str, bytes]) -> bytes:
    """A zip archive with one folder."""
    import io

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            how = zipfile.ZIP_STORED if path == METADATA else zipfile.ZIP_DEFLATED  # the mark is read as it is
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}", _NO_TIME), data, how)
    return content.getvalue()
