"""Data: corpora, checks, memory-mapped stores, batches, and the embedded phrasebook."""
