"""The run folder: its file names, what they hold, whether they are intact, and who may write them. No torch here."""
