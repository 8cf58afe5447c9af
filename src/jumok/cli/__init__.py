"""The command line: one file a group of verbs, one short function a verb."""
