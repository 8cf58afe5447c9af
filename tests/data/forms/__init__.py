"""Forms of words as a grammar book lists them: files `ENTRY<tab>FORMS`, one entry per line."""

from pathlib import Path


def forms_of(name: str) -> dict[str, str]:
    """The forms of each entry, separated by spaces."""
    lines = (Path(__file__).parent / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)
