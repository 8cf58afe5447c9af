"""The compiled part of the engine: built once for this machine's processor, then loaded.

The sources in `native/` are a few hundred lines of C without any dependency. They are compiled where they are used, so
that they use what the processor has, and kept under the user's cache folder by a hash of sources, compiler and
processor. Where there is no compiler the readable decoder does the work.
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from jumok.engine.structures import Model, Request

SOURCES = Path(__file__).parent / "native"
FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math")
COMPILERS = ("cc", "gcc", "clang")


class NoEngineError(Exception):
    """Why the compiled engine cannot be had here: a sentence without its first word and full stop."""


@cache
def library() -> ctypes.CDLL:
    """The engine's functions; compiles them if that has not been done on this machine."""
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    place = _place(compiler)
    if not place.is_file():
        if compiler is None:
            raise NoEngineError("there is no C compiler (cc, gcc or clang) to build the engine with")
        _build(compiler, place)
    try:
        engine = ctypes.CDLL(str(place))
    except OSError as error:
        raise NoEngineError(f"the built engine {place} cannot be loaded ({error})") from None
    return _typed(engine)


def is_built() -> bool:
    """Whether the next use needs no compiler."""
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    return _place(compiler).is_file()


def _place(compiler: str | None) -> Path:
    """Where the engine for these sources and this machine lies."""
    digest = sha256(" ".join((*FLAGS, str(compiler), platform.machine(), _processor())).encode())
    for file in sorted(SOURCES.iterdir()):
        digest.update(file.read_bytes())
    cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache_folder / "jumok" / f"engine-{digest.hexdigest()[:16]}.so"


def _processor() -> str:
    """What the processor can do, as far as the system says so: a cache may be shared by unlike machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _build(compiler: str, place: Path) -> None:
    """Compiles to a temporary file that takes its name when it is whole: two processes may build at once."""
    print("building the engine for this machine, once …", file=sys.stderr)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            made = Path(folder) / "engine.so"
            command = [compiler, *FLAGS, _native_flag(), "-o", str(made), str(SOURCES / "search.c"), "-lm"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise NoEngineError(f"`{Path(compiler).name}` could not build the engine ({last})")
            made.replace(place)
    except OSError as error:
        raise NoEngineError(f"the engine cannot be kept under {place.parent} ({error.strerror or error})") from None


def _native_flag() -> str:
    return "-mcpu=native" if platform.machine().lower() in ("arm64", "aarch64") else "-march=native"


def _typed(engine: ctypes.CDLL) -> ctypes.CDLL:
    """The functions with their arguments declared, after a check that both sides mean the same structures."""
    engine.jumok_sizes.argtypes, engine.jumok_sizes.restype = [ctypes.c_int], ctypes.c_int
    sizes = (engine.jumok_sizes(0), engine.jumok_sizes(1))
    if sizes != (ctypes.sizeof(Model), ctypes.sizeof(Request)):
        raise NoEngineError("the built engine does not fit this version of Jumok")
    engine.jumok_workspace.argtypes, engine.jumok_workspace.restype = [], ctypes.c_void_p
    engine.jumok_free.argtypes, engine.jumok_free.restype = [ctypes.c_void_p], None
    engine.jumok_search.argtypes = [ctypes.POINTER(Model), ctypes.POINTER(Request), ctypes.c_void_p]
    engine.jumok_search.restype = ctypes.c_int
    return engine
