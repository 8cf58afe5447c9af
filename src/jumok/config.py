"""The configuration: strict keys, one line of meaning for each, saved whole with every run.

A config file is YAML with the sections below; `key.sub=value` on the command line overrides it; a preset sets
ordinary keys that the file and the command line may override again.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from jumok.arguments import LARGEST_SEED, MOST_THREADS
from jumok.errors import ConfigError, did_you_mean

Cell = Literal["tanh", "gru", "lstm"]
Kind = Literal["rnn", "transformer"]
FORMAT = 1
# What `config.json` of a run holds beside the sections below: its format and what made it.
HEAD = ("format", "jumok_version", "vocabulary")
# The most that any key may count; no machine holds as many of anything that is counted here.
LARGEST = LARGEST_SEED
Decay = Annotated[float, Field(ge=0, lt=1)]


def _numbers(value: Any) -> Iterator[int | float]:
    """Every number in a value, or in the lists and mappings that it is made of."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)


class Section(BaseModel):
    """A part of the config: unknown keys are errors, values are checked on assignment."""

    # A teacher_forcing of 0.7 or a file called 2024 is text, whatever YAML makes of it.
    model_config = ConfigDict(extra="forbid", validate_assignment=True, coerce_numbers_to_str=True, allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def bounded(cls, value: Any) -> Any:
        """The value, in which no number is infinite or too large to count anything, free-form options included."""
        for number in _numbers(value):
            if not math.isfinite(number):
                raise ValueError(f"{number} is not finite")
            if isinstance(number, int) and abs(number) > LARGEST:
                raise ValueError(f"a whole number must be from -{LARGEST} to {LARGEST}")
        return value


class CorpusConfig(Section):
    """One corpus among several."""

    source: str = Field(description="file with the source side (plain, .gz), or one file of pairs (.tsv, .jsonl, .tmx)")
    target: str | None = Field(default=None, description="file with the target side; none for a file of pairs")
    alignment: str | None = Field(default=None, description="Pharaoh file with word links, for guided alignment")
    weight: float = Field(default=1.0, gt=0, description="how often sentences of this corpus are drawn")


class DataConfig(Section):
    """Where sentences come from."""

    source: str | None = Field(default=None, description="training text, source side")
    target: str | None = Field(default=None, description="training text, target side")
    alignment: str | None = Field(default=None, description="Pharaoh file with word links of the training text")
    corpora: list[CorpusConfig] = Field(default=[], description="several weighted corpora instead of one")
    folder: str | None = Field(default=None, description="folder that relative file names are looked up in")
    dev_source: str | None = Field(
        default=None, description="validation text; a held-out part of the training text if not given"
    )
    dev_target: str | None = Field(default=None, description="validation text, target side")
    dev_alignment: str | None = Field(default=None, description="Pharaoh file of the validation text")
    held_out: int = Field(
        default=1000, ge=1, description="at most so many pairs are held out when no validation text is given"
    )
    test_source: str | None = Field(
        default=None, description="test text: only checked for overlap with the training text"
    )
    test_target: str | None = Field(default=None, description="test text, target side")
    source_language: str | None = Field(default=None, description="language code, for TMX and the model card")
    target_language: str | None = Field(default=None, description="language code, for TMX and the model card")
    phrasebook: str = Field(default="en-ko", description="pair of the embedded corpus, used when no files are given")
    phrasebook_size: int = Field(
        default=30_000, ge=100, description="training sentences taken from the embedded corpus"
    )
    max_length: int = Field(default=120, ge=2, description="longer sentences (in tokens, on either side) are dropped")
    max_ratio: float = Field(default=9.0, gt=1, description="pairs with a more extreme length ratio are dropped")
    drop_duplicates: bool = Field(default=True, description="drop pairs that stand twice in the training text")
    drop_overlap: bool = Field(default=True, description="drop training pairs whose source stands in the test text")
    cache: str | None = Field(
        default=None, description="folder for memory-mapped ids; inside the run folder if not given"
    )

    @property
    def is_phrasebook(self) -> bool:
        """Whether no files are named."""
        return self.source is None and self.target is None and not self.corpora


class TextConfig(Section):
    """How lines become tokens."""

    kind: Literal["auto", "bpe", "unigram", "words", "characters"] = Field(
        default="auto", description="tokenizer; auto: words for the embedded corpus, unigram otherwise"
    )
    size: int | None = Field(default=None, ge=8, description="vocabulary size; chosen from the data if not given")
    joint: bool = Field(default=False, description="one vocabulary for both sides")
    byte_fallback: bool | None = Field(
        default=None, description="spell what is unknown in bytes; if not given: yes, but not for words"
    )
    sampling: float = Field(
        default=0.0, ge=0, le=5, description="subword regularisation: unigram's alpha, BPE-dropout's rate; 0 is off"
    )
    lowercase: bool = Field(default=False, description="lower-case both sides")
    min_count: int = Field(default=1, ge=1, description="words seen less often are unknown (words only)")
    of_run: str | None = Field(
        default=None, description="take the vocabularies of this run; to go on from its weights with other text"
    )


class EncoderConfig(Section):
    """The side that reads."""

    kind: Kind = Field(default="rnn", description="rnn or transformer")
    cell: Cell = Field(default="gru", description="tanh, gru or lstm (rnn)")
    size: int = Field(
        default=256, ge=1, description="size of a state; both directions together (rnn), or of the model (transformer)"
    )
    layers: int = Field(default=1, ge=1, description="stacked layers")
    bidirectional: bool = Field(default=True, description="read from both sides (rnn)")
    heads: int = Field(default=4, ge=1, description="attention heads (transformer)")
    ff: int = Field(default=1024, ge=1, description="size of the feed-forward layer (transformer)")
    norm: Literal["pre", "post"] = Field(
        default="pre", description="layer norm before or after each block (transformer)"
    )
    positions: Literal["sinusoidal", "learned", "rotary"] = Field(
        default="sinusoidal", description="positions (transformer)"
    )


class DecoderConfig(Section):
    """The side that writes."""

    kind: Kind = Field(default="rnn", description="rnn or transformer")
    cell: Cell = Field(default="gru", description="tanh, gru or lstm (rnn)")
    size: int = Field(default=256, ge=1, description="size of a state")
    layers: int = Field(default=1, ge=1, description="stacked layers")
    attention: str = Field(default="bahdanau", description="a name of `jumok mechanisms`, or none")
    attention_options: dict[str, Any] = Field(
        default={}, description="options of the mechanism, such as D or temperature"
    )
    order: Literal["before", "after"] = Field(default="before", description="where attention enters the step (rnn)")
    input_feeding: bool = Field(
        default=False, description="feed the attentional state into the next step (rnn, order after)"
    )
    readout: bool = Field(default=True, description="tanh layer over state, context and word before the output (rnn)")
    heads: int = Field(default=4, ge=1, description="attention heads (transformer)")
    ff: int = Field(default=1024, ge=1, description="size of the feed-forward layer (transformer)")
    norm: Literal["pre", "post"] = Field(
        default="pre", description="layer norm before or after each block (transformer)"
    )
    positions: Literal["sinusoidal", "learned", "rotary"] = Field(
        default="sinusoidal", description="positions (transformer)"
    )
    max_positions: int = Field(
        default=512, ge=1, description="longest sentence for learned positions and the location score"
    )


class ModelConfig(Section):
    """The network."""

    preset: Literal["seq2seq", "rnnsearch", "luong", "transformer"] = Field(
        default="rnnsearch", description="sets the keys below; each may be set again"
    )
    embedding: int | None = Field(
        default=None, ge=1, description="size of word vectors; 256, or the model's size (transformer)"
    )
    tie_output: bool = Field(default=True, description="output layer shares the target embedding where sizes allow")
    tie_source: bool = Field(default=False, description="both sides share one embedding (needs text.joint)")
    reverse_source: bool = Field(default=False, description="read the source backwards (Sutskever et al. 2014)")
    dropout: float = Field(default=0.1, ge=0, lt=1, description="dropout")
    word_dropout: float = Field(default=0.0, ge=0, lt=1, description="share of words dropped whole in training")
    encoder: EncoderConfig = EncoderConfig()
    decoder: DecoderConfig = DecoderConfig()


class TrainConfig(Section):
    """How the network learns."""

    batch_tokens: int = Field(default=2048, ge=16, description="padded target tokens in a batch")
    accumulate: int = Field(default=1, ge=1, description="batches added up before a step")
    max_steps: int = Field(default=4000, ge=1, description="stop after so many steps")
    max_minutes: float | None = Field(
        default=None, gt=0, description="stop after so many minutes (not repeatable to the bit)"
    )
    optimizer: Literal["adam", "adamw"] = Field(default="adam", description="adam or adamw")
    learning_rate: float = Field(default=0.002, gt=0, description="highest learning rate")
    betas: tuple[Decay, Decay] = Field(default=(0.9, 0.98), description="Adam's decay rates")
    weight_decay: float = Field(default=0.0, ge=0, description="weight decay")
    schedule: Literal["constant", "inverse_sqrt", "cosine", "linear", "plateau"] = Field(
        default="cosine", description="course of the learning rate after warm-up"
    )
    warmup: int = Field(default=200, ge=0, description="steps of linear warm-up")
    plateau_factor: float = Field(default=0.5, gt=0, lt=1, description="what plateau multiplies the learning rate by")
    plateau_patience: int = Field(default=2, ge=1, description="validations without a gain before plateau does so")
    clip: float = Field(default=1.0, ge=0, description="largest gradient norm; 0 is off")
    label_smoothing: float = Field(default=0.1, ge=0, lt=1, description="probability mass spread over the vocabulary")
    r_drop: float = Field(
        default=0.0, ge=0, description="weight that holds two passes with different dropout together; 0: one pass"
    )
    teacher_forcing: str = Field(
        default="always",
        description="always, never, a ratio such as 0.7, linear:1->0.5@2000, exponential:0.999, "
        "inverse_sigmoid:500, switch:1000; append /sequence to toss the coin once a sequence, "
        "/sample to feed back a draw instead of the best word",
    )
    guided_alignment: float = Field(default=0.0, ge=0, description="weight of the loss towards given word links")
    guided_layer: int = Field(default=-1, description="decoder layer whose heads are guided (transformer)")
    guided_heads: int = Field(default=1, ge=1, description="how many of its heads are guided (transformer)")
    reinforce: float = Field(default=1.0, ge=0, description="weight of the reward term (hard attention without gumbel)")
    ema: float = Field(default=0.0, ge=0, lt=1, description="decay of the moving average of the weights; 0 is off")
    average: int = Field(
        default=0, ge=0, description="average the last so many checkpoints into model.safetensors; 0: the best"
    )
    validate_every: int = Field(default=500, ge=1, description="steps between validations")
    validate_size: int = Field(
        default=500, ge=0, description="at most so many validation sentences are decoded; 0: none"
    )
    log_every: int = Field(default=20, ge=1, description="steps between lines of metrics.jsonl")
    stop_metric: Literal["loss", "bleu", "chrf"] = Field(
        default="loss", description="what decides which weights are best"
    )
    patience: int = Field(default=0, ge=0, description="stop after so many validations without a gain; 0: never")
    save_every: int = Field(default=500, ge=1, description="steps between checkpoints")
    keep: int = Field(default=3, ge=1, description="how many checkpoints stay")
    snapshots: int = Field(default=0, ge=0, description="keep light weights-only copies each so many steps; 0: none")
    pictures: int = Field(
        default=3, ge=0, description="validation sentences whose alignment is drawn at each validation"
    )
    init_from: str | None = Field(default=None, description="start from the weights of another run")
    tensorboard: bool = Field(default=False, description="write TensorBoard files too (extra)")


class RuntimeConfig(Section):
    """The machine."""

    threads: int = Field(default=0, ge=0, le=MOST_THREADS, description="CPU threads; 0: all cores")
    device: str = Field(default="cpu", description="cpu, cuda, cuda:0, …")
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="precision of the forward pass"
    )
    deterministic: bool = Field(default=True, description="only deterministic algorithms")
    prefetch: int = Field(default=4, ge=0, le=10_000, description="batches made ahead in the background; 0: none")
    loader: Literal["thread", "process"] = Field(
        default="thread", description="who makes them; a process is worth its start for subword sampling"
    )


class Config(Section):
    """Everything that makes a run."""

    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="every random choice follows from it")
    plugins: list[str] = Field(default=[], description="files with your own @register'ed scores, scopes or aligns")
    data: DataConfig = DataConfig()
    text: TextConfig = TextConfig()
    model: ModelConfig = ModelConfig()
    train: TrainConfig = TrainConfig()
    runtime: RuntimeConfig = RuntimeConfig()


PRESETS: dict[str, dict[str, Any]] = {
    "seq2seq": {
        "model.encoder.bidirectional": False,
        "model.encoder.cell": "lstm",
        "model.decoder.cell": "lstm",
        "model.decoder.attention": "none",
    },
    "rnnsearch": {
        "model.encoder.cell": "gru",
        "model.decoder.cell": "gru",
        "model.decoder.attention": "bahdanau",
        "model.decoder.order": "before",
    },
    "luong": {
        "model.encoder.cell": "lstm",
        "model.decoder.cell": "lstm",
        "model.decoder.attention": "luong-general",
        "model.decoder.order": "after",
        "model.decoder.input_feeding": True,
        "model.decoder.readout": False,
    },
    "transformer": {
        "model.encoder.kind": "transformer",
        "model.decoder.kind": "transformer",
        "model.decoder.attention": "transformer",
        "model.encoder.layers": 3,
        "model.decoder.layers": 3,
        "train.learning_rate": 0.001,
        "train.schedule": "inverse_sqrt",
        "train.warmup": 500,
    },
}


def resolve(tree: Mapping[str, Any] | None = None, overrides: Iterable[str] = ()) -> Config:
    """The full config from a nested mapping and `key.sub=value` overrides, with the preset underneath both."""
    given = flatten(tree or {})
    for item in overrides:
        key, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"'{item}' is not an override; write key.sub=value, such as train.max_steps=100.")
        given[key.strip()] = parse_value(value, key)
    known = keys()
    for key in given:
        # Free-form options keep whatever keys the mechanism has.
        if key not in known and not key.startswith("model.decoder.attention_options."):
            raise ConfigError(f"Unknown config key '{key}'{did_you_mean(key, known)}; `jumok config schema` lists all.")
    preset = given.get("model.preset", ModelConfig().preset)
    if preset not in PRESETS:
        raise ConfigError(
            f"Unknown model.preset '{preset}'{did_you_mean(str(preset), PRESETS)}; one of {', '.join(PRESETS)}."
        )
    return validate(nest({**PRESETS[preset], **given}))


def load(path: Path) -> dict[str, Any]:
    """The nested mapping of a YAML (or JSON) config file."""
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no config file {path}.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder, not a config file; to go on with a run use --resume {path}.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not readable YAML: {' '.join(str(error).split())}.") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold keys and values, not a {type(tree).__name__}.")
    return {key: value for key, value in tree.items() if key not in HEAD}  # a run's own config.json is a config too


def validate(tree: Mapping[str, Any]) -> Config:
    """The config of a nested mapping, or one sentence about the first thing that is wrong."""
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"Unknown config key '{key}'{did_you_mean(key, keys())}.") from None
        message = first["msg"].removeprefix("Value error, ")
        message = message[0].lower() + message[1:]
        raise ConfigError(f"Config key '{key}' cannot be {first['input']!r}: {message}.") from None


def parse_value(text: str, key: str) -> Any:
    """A value as YAML reads it, so that numbers, lists, true and null work on the command line."""
    try:
        return yaml.safe_load(text) if text.strip() else ""
    except yaml.YAMLError:
        raise ConfigError(f"The value of {key}={text} cannot be read; quote it.") from None


def keys(section: type[BaseModel] = Config, prefix: str = "") -> dict[str, tuple[Any, str]]:
    """Every dotted key with its default and meaning."""
    found: dict[str, tuple[Any, str]] = {}
    for name, field in section.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, Section):
            found |= keys(type(default), f"{prefix}{name}.")
        else:
            found[prefix + name] = (default, field.description or "")
    return found


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted keys of a nested mapping; free-form mappings stay whole."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key != "model.decoder.attention_options":
            flat |= flatten(value, f"{key}.")
        else:
            flat[key] = value
    return flat


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The nested mapping of dotted keys."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return tree
