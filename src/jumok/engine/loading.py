"""Which engine translates: the readable one over torch, our compiled one, or CTranslate2."""

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from jumok.arguments import MOST_THREADS, check_whole, shown
from jumok.engine.translator import QuickTranslator
from jumok.errors import InputError, RunError, did_you_mean
from jumok.run.folder import read_config

if TYPE_CHECKING:
    from jumok.decoding.translator import Translator
    from jumok.engine.packing import Precision

EngineName = Literal["auto", "torch", "fast", "ctranslate2"]
ENGINES = ("auto", "torch", "fast", "ctranslate2")
PRECISIONS = ("float32", "int8")


def load(
    path: str | Path,
    device: str = "cpu",
    *,
    engine: EngineName = "torch",
    precision: "Precision" = "float32",
    shortlist: bool = False,
    workers: int = 1,
    ensemble: Sequence[str | Path] = (),
) -> "Translator | QuickTranslator":
    """The translator of a run folder.

    `torch` is the readable one, with which everything can be seen and changed. `fast` is our compiled engine for
    recurrent models: the same translations in float32, nearly the same in `int8` and with the run's `shortlist`.
    `ctranslate2` runs what `jumok export --to ctranslate2` wrote. `auto` takes `fast` where it can, else `torch`.
    `workers` batches are translated at a time (0: one per core); `ensemble` names further runs (torch).
    """
    _check(path, device, engine, precision, workers, ensemble)
    if engine == "auto":
        engine = chosen(path, device, ensemble)
    if engine == "torch":
        from jumok.decoding.translator import load as load_plain

        return load_plain(path, device, ensemble=ensemble)
    if ensemble or device != "cpu":
        raise InputError(f"the engine {engine} runs one model on the CPU; use --engine torch for ensembles and GPUs.")
    workers = workers or os.cpu_count() or 1
    if engine == "ctranslate2":
        from jumok.engine.ctranslate2 import load_exported

        return load_exported(Path(path), precision=precision, workers=workers, shortlist=shortlist)
    reason = why_not_fast(path, device, ensemble)
    if reason:
        raise RunError(f"The engine fast cannot translate with {path}: {reason}; use --engine torch.")
    return _load_fast(Path(path), precision, shortlist, workers)


def chosen(path: str | Path, device: str = "cpu", ensemble: Sequence[str | Path] = ()) -> Literal["torch", "fast"]:
    """What `auto` takes; where that is torch although CTranslate2 is installed and quicker, this is said once."""
    from jumok.engine.ctranslate2_export import why_not

    if not why_not_fast(path, device, ensemble):
        return "fast"
    if device == "cpu" and not ensemble and find_spec("ctranslate2") and not why_not(read_config(Path(path)).model):
        _tell_of_ctranslate2()
    return "torch"


@cache
def _tell_of_ctranslate2() -> None:
    """One sentence on stderr, once per process."""
    print(
        "note: translating with torch; CTranslate2 is installed and faster for this model: run `jumok export RUN --to "
        "ctranslate2` once and use --engine ctranslate2.",
        file=sys.stderr,
    )


def _check(
    path: object, device: object, engine: str, precision: str, workers: object, ensemble: Sequence[object]
) -> None:
    """Raises where an argument is of the wrong kind or names something that is not there."""
    if isinstance(ensemble, str | Path):
        raise InputError(f"ensemble must be a list of run folders, such as ['runs/other'], not {shown(ensemble)}.")
    for folder in (path, *ensemble):
        if not isinstance(folder, str | os.PathLike):
            raise InputError(f"a run folder is named by a text or a Path, not by {shown(folder)}.")
    if device is None or isinstance(device, bytes | int | float):
        raise InputError(f"the device must be a text such as 'cpu' or 'cuda:0', not {shown(device)}.")
    check_whole("workers", workers, 0, MOST_THREADS)
    if engine not in ENGINES:
        near = did_you_mean(str(engine), ENGINES)
        raise InputError(f"there is no engine '{engine}'{near}; one of {', '.join(ENGINES)}.")
    if precision not in PRECISIONS:
        raise InputError(f"there is no precision '{precision}'; one of {', '.join(PRECISIONS)}.")


def why_not_fast(path: str | Path, device: str = "cpu", ensemble: Sequence[str | Path] = ()) -> str | None:
    """Why our engine cannot translate with a run, or None where it can."""
    from jumok.engine.library import NoEngineError, library
    from jumok.engine.packing import why_not

    if device != "cpu":
        return "it runs on the CPU only"
    if ensemble:
        return "it runs one model at a time"
    reason = why_not(read_config(Path(path)).model)
    if reason:
        return reason
    try:
        library()
    except NoEngineError as error:
        return str(error)
    return None


def _load_fast(path: Path, precision: "Precision", shortlist: bool, workers: int) -> QuickTranslator:
    from jumok.engine.packing import Packed
    from jumok.engine.search import FastEngine
    from jumok.engine.shortlist import load_shortlist
    from jumok.engine.weights import load_parts

    run = load_parts(path)
    words = load_shortlist(path, run.source_tokenizer.size, run.target_tokenizer.size) if shortlist else None
    if shortlist and words is None:
        raise RunError(f"{path} has no shortlist; make one with `jumok shortlist {path}`.")
    try:
        packed = Packed(run.config.model, run.weights, cast("Precision", precision), listed=shortlist)
    except (KeyError, ValueError) as error:
        raise RunError(f"The weights of {path} do not fit its config.json: {error}.") from None
    return QuickTranslator(run, FastEngine(packed, workers=workers, shortlist=words))
