"""What a summarisation run is validated by."""

from jumok.metric import Metric
from jumok.tasks.translation.metrics import LOSS

ROUGES = (
    Metric("rouge1", higher_is_better=True, title="ROUGE-1"),
    Metric("rouge2", higher_is_better=True, title="ROUGE-2"),
    Metric("rougeL", higher_is_better=True, title="ROUGE-L"),
)
METRICS = (LOSS, *ROUGES)
