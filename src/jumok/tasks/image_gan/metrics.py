"""What runs of image generation are validated by."""

from jumok.metric import Metric

DISTANCE = Metric("distance", higher_is_better=False, digits=2, title="pixel Fréchet distance")
SPREAD = Metric("spread", higher_is_better=True, digits=2, title="spread of samples (real: 1)")
REAL = Metric("real_score", higher_is_better=True, digits=2, title="D(real)")
DRAWN = Metric("drawn_score", higher_is_better=True, digits=2, title="D(drawn)")
METRICS = (DISTANCE, SPREAD, REAL, DRAWN)
