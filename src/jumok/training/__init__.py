"""Learning: losses, teacher forcing, schedules, a loop of events, and checkpoints that resume exactly."""
