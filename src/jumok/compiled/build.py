"""C sources built for this machine's processor when they are first used, and kept.

The sources are a few hundred lines without any dependency. They are compiled where they are used, so that they use
what the processor has (or what `JUMOK_CPU` allows of it, see processor.py), and kept under the user's cache folder by a
hash of sources, compiler, flags and processor. Where there is no compiler the readable path does the work.
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jumok.compiled.processor import compiler_flags, features

SHARED = Path(__file__).parent / "native"
FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math")
COMPILERS = ("cc", "gcc", "clang")


class NotBuiltError(Exception):
    """Why a compiled part cannot be had here: a sentence without its first word and full stop."""


@dataclass(frozen=True)
class Part:
    """One library: its name in messages and files, and the source that includes the others."""

    name: str
    source: Path

    def load(self) -> ctypes.CDLL:
        """The library; compiles it if that has not been done on this machine."""
        compiler = _compiler()
        place = self.place(compiler)
        if not place.is_file():
            if compiler is None:
                raise NotBuiltError(f"there is no C compiler (cc, gcc or clang) to build the {self.name} with")
            self._build(compiler, place)
        try:
            return ctypes.CDLL(str(place))
        except OSError as error:
            raise NotBuiltError(f"the built {self.name} {place} cannot be loaded ({error})") from None

    def place(self, compiler: str | None) -> Path:
        """Where the library for these sources and this machine lies."""
        machine = (platform.machine(), features() or platform.processor())
        digest = sha256(" ".join((*FLAGS, *compiler_flags(), str(compiler), *machine)).encode())
        for file in sorted({*self.source.parent.iterdir(), *SHARED.iterdir()}):
            digest.update(file.read_bytes())
        cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cache_folder / "jumok" / f"{self.name}-{digest.hexdigest()[:16]}.so"

    def command(self, compiler: str, made: Path) -> list[str]:
        """What is run to compile the sources to the file `made`."""
        return [compiler, *FLAGS, *compiler_flags(), f"-I{SHARED}", "-o", str(made), str(self.source), "-lm"]

    def _build(self, compiler: str, place: Path) -> None:
        """Compiles to a temporary file that takes its name when it is whole: two processes may build at once."""
        print(f"building the {self.name} for this machine, once …", file=sys.stderr)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place.parent) as folder:
                made = Path(folder) / place.name
                done = subprocess.run(self.command(compiler, made), capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                    raise NotBuiltError(f"`{Path(compiler).name}` could not build the {self.name} ({last})")
                made.replace(place)
        except OSError as error:
            raise NotBuiltError(
                f"the {self.name} cannot be kept under {place.parent} ({error.strerror or error})"
            ) from None


def _compiler() -> str | None:
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)
