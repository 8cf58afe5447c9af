"""The tokenizers of a new run: learned from its training text, or those of another run."""

from collections.abc import Iterator
from pathlib import Path

from jumok.config import TextConfig, TranslationConfig
from jumok.data.text_store import TextStore
from jumok.errors import ConfigError
from jumok.run.folder import read_translation_config
from jumok.text.options import TokenizerOptions
from jumok.text.tokenizer import Tokenizer, build_tokenizer, load_tokenizer


def make_tokenizers(config: TranslationConfig, text: TextStore) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of both sides."""
    return taken_tokenizers(config.text) if config.text.of_run else learned_tokenizers(config, text)


def taken_tokenizers(text: TextConfig) -> tuple[Tokenizer, Tokenizer]:
    """Those of the run `text.of_run`; whatever else is said of the text has to agree with it."""
    run = Path(text.of_run or "")
    theirs = read_translation_config(run).text
    source, target = (load_tokenizer(run, side, sampling=text.sampling) for side in ("source", "target"))
    found = {"kind": source.kind, "size": theirs.size or source.size, "joint": theirs.joint}
    found["lowercase"] = theirs.lowercase
    for key, value in found.items():
        asked = getattr(text, key)
        if asked != value and asked not in (None, "auto"):
            raise ConfigError(f"text.of_run: {run} has text.{key}={value}, and here it is {asked}; give both the same.")
    # Both sides of an imported model may share ids and still be segmented each in its own way.
    return (source, source) if source.sha256 == target.sha256 else (source, target)


def learned_tokenizers(config: TranslationConfig, text: TextStore) -> tuple[Tokenizer, Tokenizer]:
    """Those that the training text gives."""
    kind = config.text.kind
    if kind == "auto":
        kind = "words" if config.data.is_phrasebook else "unigram"
    options = TokenizerOptions(
        byte_fallback=config.text.byte_fallback,
        sampling=config.text.sampling,
        lowercase=config.text.lowercase,
        min_count=config.text.min_count,
        slots=config.text.slots,
    )
    if config.text.sampling > 0 and kind not in ("bpe", "unigram"):
        raise ConfigError(f"text.sampling needs text.kind bpe or unigram, not {kind}.")
    if config.text.slots and (kind != "words" or config.text.byte_fallback or not config.text.joint):
        raise ConfigError("text.slots needs text.kind=words, text.joint=true and no text.byte_fallback.")
    if config.text.joint:
        both = build_tokenizer(kind, _both(text), size=config.text.size, options=options)
        return both, both
    source = build_tokenizer(kind, text.sources(), size=config.text.size, options=options)
    target = build_tokenizer(kind, text.targets(), size=config.text.size, options=options)
    return source, target


def _both(text: TextStore) -> Iterator[str]:
    for pair in text:
        yield pair.source
        yield pair.target
