"""Our server beside LibreTranslate's, serving the same model: sentences per second and latency, in one run.

    python benchmarks/libretranslate.py --run TRANSFORMER [--text FILE] [--lines 400] [--rounds 3]

LibreTranslate is installed into an environment of its own (build/libretranslate). It serves what
`jumok export --to argos` writes; the model is installed twice there, the second time for the way back, because with
fewer than two packages LibreTranslate looks for more on the network. Ours serves the same weights by CTranslate2
(`jumok export --to ctranslate2`) with a beam of 5; Argos' own is 4. Both get the same requests of LibreTranslate's API
from the same clients, one sentence each, in turn. Asked: ours at least 3 × the sentences per second; else exit code 1.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jumok.engine.argos import export_argos
from jumok.run.folder import read_translation_config
from jumok.tasks.translation.card import languages
from serving import CLIENTS, sentences, serving
from serving_load import Answered, post, run_load

HERE = Path(__file__).resolve().parent.parent
LEAST = 3.0
START_SECONDS = 120
# Run inside the other environment.
INSTALL = "import sys; from argostranslate import package; [package.install_from_path(path) for path in sys.argv[1:]]"


def environment(folder: Path) -> Path:
    """The programs of an environment with LibreTranslate."""
    if not (folder / "installed").is_file():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pins = ["-c", str(HERE / "constraints.txt")]
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *pins, "libretranslate>=1.9,<2"], check=True)
        (folder / "installed").touch()
    return folder / "bin"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def libretranslate(bin: Path, run: Path, codes: tuple[str, str], home: Path) -> Iterator[str]:
    """LibreTranslate's own server over the exported package; all of its files are in `home`."""
    places = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("DATA", "CONFIG", "CACHE")}
    own = os.environ | places | {"HOME": str(home), "ARGOS_PACKAGES_DIR": f"{home}/packages"}
    packages = [export_argos(run, home / f"{n}.argosmodel", way) for n, way in enumerate((codes, codes[::-1]))]
    subprocess.run([str(bin / "python"), "-c", INSTALL, *map(str, packages)], env=own, check=True, cwd=home)
    port = free_port()
    command = [str(bin / "libretranslate"), "--host", "127.0.0.1", "--port", str(port), "--load-only", ",".join(codes)]
    command += ["--disable-web-ui", "--disable-files-translation", "--threads", str(max(4, os.cpu_count() or 4))]
    with (
        (home / "log").open("w") as log,
        subprocess.Popen(command, env=own, cwd=home, stdout=log, stderr=log) as process,
    ):
        try:
            wait_for(f"http://127.0.0.1:{port}/languages", process, home / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Returns when the address answers."""
    for _ in range(START_SECONDS * 2):
        try:
            urllib.request.urlopen(address, timeout=5).read()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.5)
    raise SystemExit("LibreTranslate did not start:\n" + log.read_text(errors="replace")[-3000:])


def requests(address: str, lines: list[str], codes: tuple[str, str]) -> list[bytes]:
    """Each line as a request of LibreTranslate's API."""
    source, target = codes
    return [post(address, "/translate", {"q": line, "source": source, "target": target}) for line in lines]


def figures(found: list[Answered], lone: list[Answered], count: int) -> tuple[float, float, float]:
    """Sentences per second, median latency under load and of one client, in ms."""
    if any(len(one.good) != count for one in found):
        raise SystemExit(
            f"Not every request was answered: {[{s: len(t) for s, t in o.seconds.items()} for o in found]}"
        )
    rate = statistics.median(count / one.elapsed for one in found)
    loaded, alone = (statistics.median(t for one in part for t in one.good) * 1000 for part in (found, lone))
    return rate, loaded, alone


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--lines", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    codes, lines = languages(read_translation_config(args.run)), sentences(args.text, args.lines)
    bin = environment(HERE / "build" / "libretranslate")
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        shutil.copytree(args.run, run)
        export = [sys.executable, "-m", "jumok", "export", str(run), "--to", "ctranslate2"]
        subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
        with libretranslate(bin, run, codes, Path(folder)) as theirs, serving(run) as ours:
            sent = {"ours": (ours.address, requests(ours.address, lines, codes)),
                    "LibreTranslate": (theirs, requests(theirs, lines, codes))}  # fmt: skip
            found = measured(sent, args.rounds)
    for name, (rate, loaded, alone) in found.items():
        print(
            f"{name}: {rate:.0f} sentences per second, {loaded:.1f} ms with {CLIENTS} clients, {alone:.1f} ms with one"
        )
    share = found["ours"][0] / found["LibreTranslate"][0]
    print(f"ours / LibreTranslate: {share:.2f} (asked: at least {LEAST})")
    return int(share < LEAST)


def measured(sent: dict[str, tuple[str, list[bytes]]], rounds: int) -> dict[str, tuple[float, float, float]]:
    """The figures of each server; they take turns."""
    many: dict[str, list[Answered]] = {name: [] for name in sent}
    one: dict[str, list[Answered]] = {name: [] for name in sent}
    for number in range(rounds + 1):
        for name, (address, every) in sent.items():
            lone, all_ = run_load(address, every[:50], 1), run_load(address, every, CLIENTS)
            if number:  # the first round warms both up
                one[name].append(lone)
                many[name].append(all_)
    return {name: figures(many[name], one[name], len(every)) for name, (_, every) in sent.items()}


if __name__ == "__main__":
    raise SystemExit(main())
