"""Captions: pictures in, sentences about them out, with the region that each word looked at."""
