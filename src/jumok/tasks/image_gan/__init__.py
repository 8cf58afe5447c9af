"""Image generation: a generator that learns to draw from a discriminator that learns to tell."""
