"""`task=bandits`: the worlds, the agent, and how it learns from what it wins."""

from typing import Annotated, Any, Literal

from pydantic import Field

from jumok.config.section import Section


class WorldsConfig(Section):
    """The worlds that an agent plays in, each new."""

    world: Literal["bandit", "mdp"] = Field(default="bandit", description="arms that pay, or states and actions")
    arms: int = Field(default=5, ge=2, le=1000, description="k: arms of a bandit, actions of an MDP")
    trials: int = Field(default=10, ge=1, le=2000, description="n: pulls of a bandit, episodes in an MDP")
    states: int = Field(default=10, ge=2, le=200, description="mdp: states")
    horizon: int = Field(default=10, ge=1, le=200, description="mdp: steps of an episode")
    batch: int = Field(default=256, ge=1, description="worlds that are played side by side")
    first: int = Field(
        default=0,
        ge=0,
        description="n of the first steps of training, which grows to data.trials over train.max_steps; 0: data.trials",
    )
    grown: float = Field(default=0.6, gt=0, le=1, description="share of the training after which n is data.trials")

    @property
    def steps(self) -> int:
        """Decisions in a world."""
        return self.steps_of(self.trials)

    def steps_of(self, trials: int) -> int:
        """Decisions in a world of so many trials."""
        return trials * (self.horizon if self.world == "mdp" else 1)

    def trials_at(self, share: float) -> int:
        """n when this share of the training is over: it grows by the same factor from step to step."""
        if not 0 < self.first < self.trials:
            return self.trials
        return round(self.first * (self.trials / self.first) ** min(1.0, share / self.grown))


class AgentConfig(Section):
    """The network."""

    preset: str = Field(default="snail-agent", description="snail-agent or lstm-agent")
    kind: Literal["snail", "lstm"] = Field(default="snail", description="snail, or an LSTM as yardstick")
    size: int = Field(default=32, ge=1, description="size of an observation's vector")
    filters: int = Field(default=32, ge=1, description="snail: filters of a dense block")
    keys: list[Annotated[int, Field(ge=1)]] = Field(
        default=[32], description="snail: key and value size of each attention block"
    )
    attention: str = Field(default="scaled_dot", description="snail: a name of `jumok mechanisms`, in causal scope")
    hidden: int = Field(default=0, ge=0, description="lstm: size of its state; 0: as many parameters as snail")


class RewardConfig(Section):
    """Proximal policy optimisation with generalised advantages (Schulman et al. 2016, 2017)."""

    passes: int = Field(default=4, ge=1, le=100, description="times that a batch is learned from; 1 with one part: A2C")
    parts: int = Field(default=1, ge=1, description="parts that a pass learns from one after the other")
    hindsight: bool = Field(
        default=False,
        description="bandit: learn from the chances of all arms instead of what was drawn; the agent never sees them",
    )
    clip: float = Field(default=0.2, gt=0, description="how far a pass may move the chance of an action")
    discount: float = Field(default=1.0, gt=0, le=1, description="γ: what the next step's reward is worth")
    trace: float = Field(default=0.9, ge=0, le=1, description="λ of the generalised advantage")
    value: float = Field(default=0.5, ge=0, description="weight of the value's squared error")
    entropy: float = Field(
        default=0.01, ge=0, description="weight of the policy's entropy, which falls to 0 until the training ends"
    )


_TRAINING: dict[str, Any] = {
    "train.learning_rate": 0.002,
    "train.betas": [0.9, 0.999],
    "train.schedule": "linear",
    "train.warmup": 20,
    "train.max_steps": 600,
    "train.validate_every": 50,
    "train.save_every": 50,
    "train.validate_size": 1000,
    "train.pictures": 0,
}
AGENT_PRESETS: dict[str, dict[str, Any]] = {
    "snail-agent": _TRAINING,
    "lstm-agent": _TRAINING | {"model.kind": "lstm"},
}
