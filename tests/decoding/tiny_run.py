"""Run folders with random weights: everything of a trained run but the training."""

from pathlib import Path

import torch
from safetensors.torch import save_file

from jumok.config import resolve
from jumok.data.phrasebook import generate
from jumok.decoding.translator import Translator
from jumok.models.build import build_model
from jumok.run.folder import vocabulary_of, write_config
from jumok.text.options import TokenizerOptions
from jumok.text.tokenizer import build_tokenizer
from tests.fitting import fitting

SIZES = ["model.encoder.size=16", "model.decoder.size=16", "model.embedding=12"]
HEADS = ["model.encoder.heads=2", "model.decoder.heads=2", "model.encoder.ff=20", "model.decoder.ff=20"]
LINES = [(one.source, one.target) for one in generate("en-fr", "train", 200)]
DEV = [(one.source, one.target, one.links) for one in generate("en-fr", "dev", 40)]


def make_run(folder: Path, *overrides: str, kind: str = "words", seed: int = 1, size: int | None = None) -> Path:
    """A run of random weights over vocabularies of the phrasebook."""
    sizes = [*SIZES, *fitting(HEADS, [*overrides])]
    config = resolve({}, [*sizes, "data.phrasebook=en-fr", "data.max_length=30", *overrides])
    options = TokenizerOptions(min_count=2 if kind == "words" else 1, lowercase=config.text.lowercase)
    source = build_tokenizer(kind, [source for source, _ in LINES], size=size, options=options)
    target = build_tokenizer(kind, [target for _, target in LINES], size=size, options=options)
    folder.mkdir(parents=True)
    source.save(folder, "source")
    target.save(folder, "target")
    write_config(folder, config, vocabulary_of(source, target))
    torch.manual_seed(seed)
    model = build_model(config.model, source.size, target.size)
    with torch.no_grad():
        # Larger than a fresh model's, so that words differ in probability and no two hypotheses tie.
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(2.0)
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors")
    return folder


def in_float64(translator: Translator) -> Translator:
    """The same translator with weights in float64, where two ways to the same number differ by nothing to speak of."""
    for run in translator.readable.runs:
        run.model.double()
    return translator
