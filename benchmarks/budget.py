"""Trainings in parts: a call takes some minutes and the next one resumes."""

import signal
import subprocess


def finished(command: list[str], minutes: float) -> bool:
    """Whether the command ended well within so many minutes; otherwise it is told to save a checkpoint and to end."""
    process = subprocess.Popen(command)
    try:
        return process.wait(60 * minutes) == 0
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        process.wait()
        return False
