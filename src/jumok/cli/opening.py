"""The model that a command works with, opened as its options say."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from jumok.engine.loading import EngineName
    from jumok.engine.packing import Precision
    from jumok.tasks.translation.model import TranslationModel


def load_translator(
    run: Path,
    device: str,
    threads: int,
    plugin: list[Path] | None,
    ensemble: list[Path] | None = None,
    *,
    engine: str = "torch",
    precision: str = "float32",
    shortlist: bool = False,
    workers: int = 0,
) -> "TranslationModel":
    """The model of a run; only plugins that the user names are executed, and torch is imported where it is needed."""
    from jumok.run.folder import read_translation_config
    from jumok.tasks.translation.model import load

    read_translation_config(run)  # a run of another task is refused with the command that it is for
    if plugin:
        from jumok.attention import load_plugins

        load_plugins(plugin)
    translator = load(
        run,
        device,
        engine=cast("EngineName", "torch" if plugin and engine == "auto" else engine),
        precision=cast("Precision", precision),
        shortlist=shortlist,
        workers=workers or threads,
        ensemble=ensemble or (),
    )
    if translator.engines[0].name == "torch":
        set_threads(translator.run.config.model.decoder.size, threads)
    return translator


def prepare_torch(run: Path, threads: int, plugin: list[Path] | None) -> None:
    """Executes the plugins and sets the threads that a user names, before runs are opened by their task."""
    from jumok.attention import load_plugins
    from jumok.config import SequenceConfig
    from jumok.run.folder import read_config

    load_plugins(plugin or [])
    config = read_config(run)
    if threads and isinstance(config, SequenceConfig):
        set_threads(config.model.decoder.size, threads)


def set_threads(size: int, threads: int) -> None:
    """Sets how many threads torch decodes with, for a model of a size; 0: as many as speed it up."""
    import torch

    from jumok.threads import threads_for_decoding

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads_for_decoding(size, threads, torch.get_num_threads()))
