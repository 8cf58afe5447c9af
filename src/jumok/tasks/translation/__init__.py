"""Translation: from pairs of sentences to a model that translates, aligns and scores."""
