"""Summaries and headlines: texts in, what they say in short out, names and numbers copied."""
