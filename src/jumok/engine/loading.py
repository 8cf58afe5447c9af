"""Which engine translates: the readable one over torch, our compiled one, or CTranslate2."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from jumok.arguments import MOST_THREADS, check_folder, check_whole, shown
from jumok.decoding.engine import Engine
from jumok.errors import InputError, RunError, did_you_mean
from jumok.run.folder import read_translation_config

if TYPE_CHECKING:
    from jumok.engine.packing import Precision

EngineName = Literal["auto", "torch", "fast", "ctranslate2"]
ENGINES = ("auto", "torch", "fast", "ctranslate2")
PRECISIONS = ("float32", "int8")


@dataclass(frozen=True)
class EngineChoice:
    """Which engine translates, and how."""

    name: str = "torch"
    precision: str = "float32"
    shortlist: bool = False
    workers: int = 1
    """Batches at a time; 0: one per core."""


def open_engine(path: str | Path, device: str, choice: EngineChoice, ensemble: Sequence[str | Path] = ()) -> Engine:
    """The engine that was asked for, with the model of a run folder."""
    _check(path, device, choice, ensemble)
    name = chosen(path, device, ensemble) if choice.name == "auto" else choice.name
    if name == "torch":
        return _open_torch([path, *ensemble], device, choice)
    if ensemble or device != "cpu":
        raise InputError(f"the engine {name} runs one model on the CPU; use --engine torch for ensembles and GPUs.")
    if name == "ctranslate2":
        from jumok.engine.ctranslate2 import open_exported

        return open_exported(
            Path(path), precision=_precision(choice), workers=_workers(choice), shortlist=choice.shortlist
        )
    reason = why_not_fast(path, device, ensemble)
    if reason:
        raise RunError(f"The engine fast cannot translate with {path}: {reason}; use --engine torch.")
    return _open_fast(Path(path), choice)


def _precision(choice: EngineChoice) -> "Precision":
    return cast("Precision", choice.precision)


def _workers(choice: EngineChoice) -> int:
    return choice.workers or os.cpu_count() or 1


def _open_torch(paths: Sequence[str | Path], device: str, choice: EngineChoice) -> Engine:
    if choice.precision != "float32" or choice.shortlist:
        raise InputError("--precision int8 and --shortlist need --engine fast or ctranslate2.")
    from jumok.decoding.run import load_run
    from jumok.decoding.torch_engine import TorchEngine

    return TorchEngine([load_run(path, device) for path in paths])


def chosen(path: str | Path, device: str = "cpu", ensemble: Sequence[str | Path] = ()) -> Literal["torch", "fast"]:
    """What `auto` takes; where that is torch although CTranslate2 is installed and quicker, this is said once."""
    from jumok.engine.ctranslate2_export import why_not

    if not why_not_fast(path, device, ensemble):
        return "fast"
    if (
        device == "cpu"
        and not ensemble
        and find_spec("ctranslate2")
        and not why_not(read_translation_config(Path(path)).model)
    ):
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


def _check(path: object, device: object, choice: EngineChoice, ensemble: Sequence[object]) -> None:
    """Raises where an argument is of the wrong kind or names something that is not there."""
    if isinstance(ensemble, str | Path):
        raise InputError(f"ensemble must be a list of run folders, such as ['runs/other'], not {shown(ensemble)}.")
    for folder in (path, *ensemble):
        check_folder(folder)
    if device is None or isinstance(device, bytes | int | float):
        raise InputError(f"the device must be a text such as 'cpu' or 'cuda:0', not {shown(device)}.")
    check_whole("workers", choice.workers, 0, MOST_THREADS)
    if choice.name not in ENGINES:
        near = did_you_mean(str(choice.name), ENGINES)
        raise InputError(f"there is no engine '{choice.name}'{near}; one of {', '.join(ENGINES)}.")
    if choice.precision not in PRECISIONS:
        raise InputError(f"there is no precision '{choice.precision}'; one of {', '.join(PRECISIONS)}.")


def why_not_fast(path: str | Path, device: str = "cpu", ensemble: Sequence[str | Path] = ()) -> str | None:
    """Why our engine cannot translate with a run, or None where it can."""
    from jumok.engine.library import NoEngineError, library
    from jumok.engine.packing import why_not

    if device != "cpu":
        return "it runs on the CPU only"
    if ensemble:
        return "it runs one model at a time"
    reason = why_not(read_translation_config(Path(path)).model)
    if reason:
        return reason
    try:
        library()
    except NoEngineError as error:
        return str(error)
    return None


def _open_fast(path: Path, choice: EngineChoice) -> Engine:
    from jumok.engine.packing import Packed
    from jumok.engine.quick import QuickEngine
    from jumok.engine.search import FastSearcher
    from jumok.engine.shortlist import load_shortlist
    from jumok.engine.weights import load_parts

    run = load_parts(path)
    sizes = run.source_tokenizer.size, run.target_tokenizer.size
    words = load_shortlist(path, *sizes) if choice.shortlist else None
    if choice.shortlist and words is None:
        raise RunError(f"{path} has no shortlist; make one with `jumok shortlist {path}`.")
    try:
        packed = Packed(run.config.model, run.weights, _precision(choice), listed=choice.shortlist)
    except (KeyError, ValueError) as error:
        raise RunError(f"The weights of {path} do not fit its config.json: {error}.") from None
    return QuickEngine(run, FastSearcher(packed, workers=_workers(choice), shortlist=words))
