"""Tasks: each joins data, model, training and evaluation for one kind of problem. The only composition root."""
