"""A process that translates: models loaded once, then batches from a pipe until it closes.

Processes and not threads: one that crashes or searches for too long can be ended and replaced.
"""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.errors import JumokError, RunError
from jumok.server.work import Batch, Done, Failed, Plain, Ready, Trouble

BEHIND = 5
"""By how much a worker's nice value is above the server's: on a full machine requests must still be heard."""


@dataclass(frozen=True)
class Loading:
    """Which runs a worker loads, and how."""

    folders: Mapping[str, str]
    engine: str = "auto"
    precision: str = "float32"
    shortlist: bool = False
    plugins: tuple[str, ...] = ()
    threads: int = 1


def main(pipe: Connection, loading: Loading) -> None:
    """The life of a worker; it ends when the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which lets requests end first
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ["OMP_NUM_THREADS"] = str(loading.threads)
    os.nice(BEHIND)
    try:
        models = load_models(loading)
        gc.freeze()  # what is loaded stays
        versions = {name: model.run.hash for name, model in models.items()}
        pipe.send(Ready(versions, {name: model.engines[0].name for name, model in models.items()}))
    except JumokError as error:
        pipe.send(Failed(str(error)))
        return
    while True:
        try:
            batch = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(translate(models, batch))


def load_models(loading: Loading) -> dict[str, Translator]:
    """The model of each run."""
    from jumok.engine.ctranslate2_export import NOTE
    from jumok.engine.loading import EngineChoice, open_engine
    from jumok.run.names import EXPORTED

    if loading.plugins:
        from jumok.attention import load_plugins

        load_plugins(loading.plugins)
    found: dict[str, Translator] = {}
    for name, folder in loading.folders.items():
        exported = loading.engine == "auto" and (Path(folder) / EXPORTED / NOTE).is_file()
        engine = "ctranslate2" if exported else loading.engine
        choice = EngineChoice(engine, loading.precision, loading.shortlist, workers=1)
        found[name] = Translator([open_engine(folder, "cpu", choice)])
    return found


def translate(models: Mapping[str, Translator], batch: Batch) -> Done:
    """The batch, translated; lines that cannot be translated together are tried one by one, so that the line of one
    client cannot spoil those of another."""
    model = models[batch.run]
    try:
        found = model.translate_stream(batch.lines, batch.options)
        return Done(batch.number, [one if batch.whole else plain(one) for one in found])
    except Exception as error:
        if len(batch.lines) == 1:
            return Done(batch.number, [trouble(error)])
    alone = [replace(batch, lines=(line,)) for line in batch.lines]
    return Done(batch.number, [translate(models, one).results[0] for one in alone])


def plain(found: Translation) -> Plain:
    """The words of a translation."""
    return Plain(found.score, tuple(" ".join(one.target_words) for one in (found, *found.alternatives)))


def trouble(error: Exception) -> Trouble:
    """What a client is told; an error of our own making is noted without the text that caused it."""
    if isinstance(error, RunError):
        return Trouble(str(error), later=True)
    if isinstance(error, JumokError):
        return Trouble(str(error))
    place = traceback.extract_tb(error.__traceback__)[-1]
    print(f"jumok worker: {type(error).__name__} in {place.name}, line {place.lineno}", file=sys.stderr, flush=True)
    return Trouble("The model failed at this text.", ours=True)
