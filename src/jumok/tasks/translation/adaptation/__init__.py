"""Adaptation: a run trained further on other text, without forgetting the text it came from."""
