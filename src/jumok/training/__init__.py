"""Learning: losses, teacher forcing, schedules, a loop that yields events, and checkpoints that resume exactly."""
