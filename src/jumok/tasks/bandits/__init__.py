"""Bandits and tabular MDPs: learning to explore, by reinforcement."""
