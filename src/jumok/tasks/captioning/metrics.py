"""What a captioning run is validated by."""

from jumok.metric import BLEU, Metric

LOSS = Metric("loss", higher_is_better=False, digits=3, training_loss="nll", log_loss=True)
EXACT = Metric("exact", higher_is_better=True, title="exact captions (%)")
POINTING = Metric("pointing", higher_is_better=True, digits=3, share=True)
METRICS = (LOSS, EXACT, BLEU, POINTING)
