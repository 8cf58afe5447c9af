"""Other toolkits, each installed with pip into an environment of its own under out/peers/, or where --into says.

    python benchmarks/peer_environments.py opennmt --into FOLDER

A toolkit that cannot be installed or imported here is reported with the reason; it is never left out silently.
"""

import argparse
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "out" / "peers"
INSTALL_SECONDS = 3600


@dataclass(frozen=True)
class Recipe:
    """What pip installs, and what must then be importable."""

    packages: tuple[str, ...]
    module: str
    alone: tuple[str, ...] = ()
    """Installed after the packages and without what they ask for: their limit on torch leaves out the CPU build."""


# torch is named with its version where the toolkit leaves it open, so that pip takes a CPU build where one is offered.
RECIPES = {
    "opennmt": Recipe(
        (
            "torch==2.13.0",
            "numpy<2",
            "setuptools<80",
            "configargparse",
            "ctranslate2>=4,<5",
            "tensorboard>=2.3",
            "flask",
            "waitress",
            "pyonmttok>=1.37,<2",
            "pyyaml",
            "sacrebleu",
            "rapidfuzz",
            "pyahocorasick",
            "fasttext-wheel",
            "spacy",
            "six",
        ),
        "onmt",
        alone=("OpenNMT-py==3.5.1",),
    ),
    "eole": Recipe(("torch==2.13.0", "eole==0.6.4", "aiohttp"), "eole"),
    "sockeye": Recipe(("sockeye==3.1.34", "numpy<2", "setuptools<80"), "sockeye"),
    "huggingface": Recipe(("torch==2.13.0", "transformers==4.57.1"), "transformers"),
    "joeynmt": Recipe(("torch==2.13.0", "joeynmt==2.3.0", "importlib_metadata", "setuptools<80"), "joeynmt"),
}


@dataclass(frozen=True)
class Environment:
    """A Python that can import the toolkit, or the reason why there is none."""

    name: str
    python: Path | None
    versions: dict[str, str]
    reason: str = ""


def environment(name: str, install: bool = True, into: Path = PEERS) -> Environment:
    """The environment of a toolkit, made now if it is not there (some gigabytes and several minutes each)."""
    recipe, folder = RECIPES[name], into / name
    python, stamp = folder / "bin" / "python", folder / "installed.json"
    wanted = [*recipe.packages, *recipe.alone]
    if not (stamp.is_file() and json.loads(stamp.read_text(encoding="utf-8")) == wanted):
        if not install:
            return Environment(name, None, {}, "it is not installed yet; run without --installed-only")
        reason = _install(folder, python, recipe.packages)
        if recipe.alone and not reason:
            reason = _install(folder, python, ("--no-deps", *recipe.alone))
        if reason:
            return Environment(name, None, {}, reason)
        stamp.write_text(json.dumps(wanted), encoding="utf-8")
    asked = f"import json, torch, {recipe.module}; print(json.dumps({{'torch': torch.__version__}}))"
    tried = subprocess.run([python, "-c", asked], capture_output=True, text=True, timeout=300, check=False)
    if tried.returncode:
        return Environment(name, None, {}, f"it cannot be imported: {_last_line(tried.stderr)}")
    return Environment(name, python, json.loads(tried.stdout.strip().splitlines()[-1]))


def _install(folder: Path, python: Path, packages: tuple[str, ...]) -> str:
    """Empty if it worked, or why it did not."""
    print(f"Installing {', '.join(packages)} into {folder} …", file=sys.stderr)
    if not python.is_file():
        venv.create(folder, with_pip=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"pip did not end within {INSTALL_SECONDS // 60} minutes"
    return f"pip could not install it: {_last_line(done.stderr)}" if done.returncode else ""


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    return lines[-1][:300] if lines else "no message"


def main() -> int:
    """Makes the environments that are named and prints where they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=tuple(RECIPES), metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--into", type=Path, default=PEERS, help="folder of the environments")
    given = parser.parse_args()
    found = [environment(name, into=given.into.resolve()) for name in given.names]
    for one in found:
        print(f"{one.name}: {one.reason or f'{one.python}, torch ' + one.versions['torch']}")
    return 1 if any(one.reason for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
