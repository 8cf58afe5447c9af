"""The command line: one file per group of verbs, one short function per verb."""
