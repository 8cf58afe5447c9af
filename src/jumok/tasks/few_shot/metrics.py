"""What runs of few-shot classification are validated by."""

from jumok.metric import Metric

ACCURACY = Metric("accuracy", higher_is_better=True, digits=2, title="accuracy %")
LOSS = Metric("loss", higher_is_better=False, digits=3, training_loss="loss")
ATTENTION = Metric("attention", higher_is_better=True, digits=2, title="attention on the right class %")
METRICS = (LOSS, ACCURACY, ATTENTION)
