"""From a trained model to text: search, constraints, translation, and what the model looked at."""
