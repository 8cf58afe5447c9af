"""What runs of bandits are validated by."""

from jumok.metric import Metric

REWARD = Metric("reward", higher_is_better=True, digits=3, title="total reward")
METRICS = (REWARD,)
