"""Few-shot classification: naming new pictures from a few labelled ones."""
