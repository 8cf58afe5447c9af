"""What a score is called, which way is better, and how it is printed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A validation score that a task computes under `name`."""

    name: str
    higher_is_better: bool
    digits: int = 1
    """Decimals when it is printed for a person."""
    title: str = ""
    """What a person calls it; the name if empty."""
    training_loss: str = ""
    """The loss of training that measures the same, drawn beside it."""
    log_loss: bool = False
    """Whether it is a mean of −log p, which is printed as a perplexity too."""
    share: bool = False
    """Whether it lies between 0 and 1; beside scores of 0 to 100 it is drawn in per cent."""

    @property
    def label(self) -> str:
        """What it is called in lines and pictures."""
        return self.title or self.name

    def show(self, value: float) -> str:
        """`BLEU 93.2`."""
        return f"{self.label} {value:.{self.digits}f}"


BLEU = Metric("bleu", higher_is_better=True, title="BLEU")
CHRF = Metric("chrf", higher_is_better=True, title="chrF")
TER = Metric("ter", higher_is_better=False, title="TER")
