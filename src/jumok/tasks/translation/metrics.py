"""What a translation run is validated by."""

from jumok.metric import Metric

LOSS = Metric("loss", higher_is_better=False, digits=3, training_loss="nll", log_loss=True)
BLEU = Metric("bleu", higher_is_better=True, title="BLEU")
CHRF = Metric("chrf", higher_is_better=True, title="chrF")
METRICS = (LOSS, BLEU, CHRF)
