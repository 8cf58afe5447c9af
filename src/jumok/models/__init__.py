"""Sequence-to-sequence models: encoders, decoders and the interface that training and decoding see."""
