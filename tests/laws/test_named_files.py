"""The documents that say where a thing is name files that exist, and the README's tree names every room."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "jumok"
STARTS = (ROOT, PACKAGE, ROOT / "web" / "src")
DOCUMENTS = ("CONTRIBUTING.md", "docs/extending.md", "docs/architecture.md", "docs/testing.md")
# A file or a folder in backticks.
NAMED = re.compile(r"`([a-z_0-9][\w/.-]*(?:\.(?:py|ts|c|css|md|yaml|toml)|/))`")
# Examples, and names that no file may have.
NOT_MEANT = {"file.py", "contract.ts", "utils.py", "helpers.py"}


def named(document: str) -> Iterator[tuple[str, list[str]]]:
    """Each line with the files it names."""
    for line in (ROOT / document).read_text(encoding="utf-8").splitlines():
        if " became " not in line:  # what a file was called before
            yield line, [name for name in NAMED.findall(line) if name not in NOT_MEANT and "NAME" not in name]


def folders(names: list[str]) -> set[Path]:
    """Where a bare name of a line may be: beside the other files of the line, or at one of the starts."""
    beside = {start / Path(name).parent for name in names for start in STARTS}
    return beside | {start / name for name in names for start in STARTS if name.endswith("/")} | set(STARTS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_a_document_names_exists(document):
    missing = {
        name
        for _, names in named(document)
        for name in names
        if not any((folder / name).exists() for folder in folders(names))
    }
    # A file may be named again, without its folder, in the paragraph that is about it.
    text = (ROOT / document).read_text(encoding="utf-8")
    known = {Path(name).name for name in NAMED.findall(text) if any((start / name).exists() for start in STARTS)}
    assert missing - known == set()


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_the_tree_of_the_readme_is_that_of_the_package(readme):
    lines = (ROOT / readme).read_text(encoding="utf-8").partition("    src/jumok/\n")[2].splitlines()
    tree = []
    for line in lines:
        if not line.startswith("      "):
            break
        tree += re.findall(r"^ {6}(\w+(?:\.py|/))(?: (\w+(?:\.py|/)))?", line)
    rooms = {name.rstrip("/") for names in tree for name in names if name}
    found = {one.name for one in PACKAGE.iterdir() if not one.name.startswith("_")}
    assert rooms == found
