"""Parts in C, built once for this machine's processor; everything works without them, more slowly."""
