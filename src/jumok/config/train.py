"""`train` and `runtime`: how the network learns, and on which machine."""

from typing import Annotated, Any, Literal

from pydantic import Field

from jumok.arguments import MOST_THREADS
from jumok.config.section import Section

Decay = Annotated[float, Field(ge=0, lt=1)]


def _best(usual: str) -> Any:
    return Field(default=usual, description="metric that decides which weights are best")


class TrainConfig(Section):
    """How the network learns."""

    batch_tokens: int = Field(default=2048, ge=16, description="padded target tokens in a batch")
    accumulate: int = Field(default=1, ge=1, description="batches whose gradients are added up per step")
    max_steps: int = Field(default=4000, ge=1, description="stop after this many steps")
    max_minutes: float | None = Field(
        default=None, gt=0, description="stop after this many minutes (not repeatable bit for bit)"
    )
    clock: Literal["wall", "processor"] = Field(
        default="wall",
        description="what max_minutes counts: time that passes, or processor time of this process, which other "
        "programs on the machine do not shorten (needs runtime.threads=1)",
    )
    optimizer: Literal["adam", "adamw"] = Field(default="adam", description="adam or adamw")
    learning_rate: float = Field(default=0.002, gt=0, description="highest learning rate")
    betas: tuple[Decay, Decay] = Field(default=(0.9, 0.98), description="Adam's decay rates")
    weight_decay: float = Field(default=0.0, ge=0, description="weight decay")
    schedule: Literal["constant", "inverse_sqrt", "cosine", "linear", "plateau"] = Field(
        default="cosine", description="schedule of the learning rate after warm-up"
    )
    warmup: int = Field(default=200, ge=0, description="steps of linear warm-up")
    plateau_factor: float = Field(
        default=0.5, gt=0, lt=1, description="factor by which plateau multiplies the learning rate"
    )
    plateau_patience: int = Field(default=2, ge=1, description="validations without improvement before plateau does so")
    clip: float = Field(default=1.0, ge=0, description="largest gradient norm; 0 is off")
    label_smoothing: float = Field(default=0.1, ge=0, lt=1, description="probability mass spread over the vocabulary")
    r_drop: float = Field(
        default=0.0,
        ge=0,
        description="weight of the agreement of two passes with different dropout (R-Drop); 0: one pass",
    )
    teacher_forcing: str = Field(
        default="always",
        description="always, never, a ratio such as 0.7, linear:1->0.5@2000, exponential:0.999, "
        "inverse_sigmoid:500, switch:1000; append /sequence to toss the coin once a sequence, "
        "/sample to feed back a draw instead of the best word",
    )
    guided_alignment: float = Field(default=0.0, ge=0, description="weight of the loss towards given word links")
    guided_layer: int = Field(default=-1, description="decoder layer whose heads are guided (transformer)")
    coverage_loss: float = Field(
        default=0.0,
        ge=0,
        description="weight of the loss for looking twice at the same words (See et al. 2017), by the attention that "
        "copies; without a pointer by the mean of the last layer's heads",
    )
    coverage_from: int | None = Field(
        default=None,
        ge=1,
        description="step from which coverage_loss counts; after nine tenths of the run if not given",
    )
    guided_heads: int = Field(default=1, ge=1, description="how many of its heads are guided (transformer)")
    reinforce: float = Field(default=1.0, ge=0, description="weight of the reward term (hard attention without gumbel)")
    entropy: float = Field(
        default=0.0, ge=0, description="weight of the entropy of hard attention, which keeps it from settling early"
    )
    doubly_stochastic: float = Field(
        default=0.0,
        ge=0,
        description="weight of Σ_i (1 − Σ_t α_ti)², which spreads attention over the source (Xu et al. 2015)",
    )
    ema: float = Field(default=0.0, ge=0, lt=1, description="decay of the moving average of the weights; 0 is off")
    average: int = Field(
        default=0, ge=0, description="number of last checkpoints averaged into model.safetensors; 0: the best one"
    )
    validate_every: int = Field(default=500, ge=1, description="steps between validations")
    validate_size: int = Field(default=500, ge=0, description="largest number of validation sentences decoded; 0: none")
    log_every: int = Field(default=20, ge=1, description="steps between lines of metrics.jsonl")
    stop_metric: Literal["loss", "bleu", "chrf"] = _best("loss")
    patience: int = Field(default=0, ge=0, description="stop after this many validations without improvement; 0: never")
    save_every: int = Field(default=500, ge=1, description="steps between checkpoints")
    keep: int = Field(default=3, ge=1, description="number of checkpoints kept")
    snapshots: int = Field(default=0, ge=0, description="steps between weights-only snapshots; 0: none")
    pictures: int = Field(
        default=3, ge=0, description="validation sentences whose alignment is drawn at each validation"
    )
    init_from: str | None = Field(default=None, description="start from the weights of another run")
    anchor: float = Field(
        default=0.0, ge=0, description="pull towards the weights that the run started from; 0 is off (train.init_from)"
    )
    tensorboard: bool = Field(default=False, description="also write TensorBoard files (needs jumok[tensorboard])")


class SummaryTrainConfig(TrainConfig):
    """How a network that summarises learns."""

    stop_metric: Literal["loss", "rouge1", "rouge2", "rougeL"] = _best("loss")  # pyright: ignore[reportIncompatibleVariableOverride]


class CaptionTrainConfig(TrainConfig):
    """How a network that describes pictures learns."""

    stop_metric: Literal["loss", "exact", "bleu"] = _best("loss")  # pyright: ignore[reportIncompatibleVariableOverride]


class FewShotTrainConfig(TrainConfig):
    """How a network that names pictures from a few examples learns."""

    stop_metric: Literal["accuracy", "loss", "attention"] = _best("accuracy")  # pyright: ignore[reportIncompatibleVariableOverride]


class AgentTrainConfig(TrainConfig):
    """How an agent that explores learns."""

    stop_metric: Literal["reward"] = _best("reward")  # pyright: ignore[reportIncompatibleVariableOverride]


class GanTrainConfig(TrainConfig):
    """How a generator and its discriminator learn."""

    stop_metric: Literal["distance"] = _best("distance")  # pyright: ignore[reportIncompatibleVariableOverride]


class RuntimeConfig(Section):
    """The machine."""

    threads: int = Field(default=0, ge=0, le=MOST_THREADS, description="CPU threads; 0: all cores")
    device: str = Field(default="cpu", description="cpu, cuda, cuda:0, …")
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="precision of the forward pass"
    )
    products: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="how matrices of float32 are multiplied while training; bfloat16 is several times as fast where "
        "the processor has it, and rounds to 8 bits",
    )
    deterministic: bool = Field(default=True, description="only deterministic algorithms")
    prefetch: int = Field(default=4, ge=0, le=10_000, description="batches made ahead in the background; 0: none")
    loader: Literal["thread", "process"] = Field(
        default="thread", description="what makes them; a process pays off for subword sampling"
    )
