"""Whether Argos Translate loads what `jumok export --to argos` wrote, and translates the same text without a network.

    python benchmarks/argos.py RUN "a sentence" "another one. And a third."

Argos Translate is installed into an environment of its own (build/argos), because it brings Stanza and spaCy. Each text
is translated there, with sockets closed, and by `jumok.load(RUN)` sentence by sentence with the same beam and length
penalty. Sentences of a text are parted by |, so that the splitter is tested too.
Exit code 1 where the texts differ.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jumok
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.engine.argos import export_argos
from jumok.run.folder import read_translation_config
from jumok.tasks.translation.card import languages

HERE = Path(__file__).resolve().parent.parent
# Run inside the other environment: no address can be reached, so that nothing is downloaded.
INSIDE = """
import socket, sys
def refuse(*_):
    raise OSError("the network is closed here")
socket.socket.connect = refuse
from argostranslate import package, translate
package.install_from_path(sys.argv[1])
known = {language.code: language for language in translate.get_installed_languages()}
found = known[sys.argv[2]].get_translation(known[sys.argv[3]])
for line in sys.argv[4:]:
    print(found.translate(line))
"""


def environment(folder: Path) -> Path:
    """The Python of an environment with Argos Translate."""
    python = folder / "bin" / "python"
    if not (folder / "installed").is_file():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pins = ["-c", str(HERE / "constraints.txt")]
        subprocess.run([str(python), "-m", "pip", "install", "-q", *pins, "argostranslate>=1.11,<2"], check=True)
        (folder / "installed").touch()
    return python


def theirs(python: Path, package: Path, codes: tuple[str, str], texts: list[str]) -> list[str]:
    """What Argos writes, with all of its files in a folder of their own."""
    with tempfile.TemporaryDirectory() as home:
        places = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("DATA", "CONFIG", "CACHE")}
        own = os.environ | places | {"HOME": home, "ARGOS_PACKAGES_DIR": f"{home}/packages"}
        done = subprocess.run(
            [str(python), "-c", INSIDE, str(package), *codes, *texts],
            env=own,
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout.splitlines()


def ours(run: Path, sentences: list[str]) -> str:
    """The same sentences by the run itself, with Argos' beam of 4 and its length penalty of 0.2."""
    options = Options(beam=4, scoring=Scoring("power", 0.2))
    return " ".join(one.text for one in jumok.load(run).translate(sentences, options=options))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("texts", nargs="+", help="sentences of a text are parted by |")
    args = parser.parse_args()
    codes = languages(read_translation_config(args.run))
    with tempfile.TemporaryDirectory() as folder:
        package = export_argos(args.run, Path(folder) / "run.argosmodel", codes)
        found = theirs(environment(HERE / "build" / "argos"), package, codes, [t.replace("|", " ") for t in args.texts])
    expected = [ours(args.run, text.split("|")) for text in args.texts]
    for text, one, other in zip(args.texts, found, expected, strict=True):
        print(f"{text}\n  argos  {one}\n  jumok  {other}")
    return int(found != expected)


if __name__ == "__main__":
    raise SystemExit(main())
