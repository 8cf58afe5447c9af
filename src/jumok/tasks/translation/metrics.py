"""What a translation run is validated by."""

from jumok.metric import BLEU, CHRF, Metric

LOSS = Metric("loss", higher_is_better=False, digits=3, training_loss="nll", log_loss=True)
METRICS = (LOSS, BLEU, CHRF)
