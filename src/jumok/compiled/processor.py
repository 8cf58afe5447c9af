"""Which instructions the C sources are compiled for: all that this processor has, or fewer by `JUMOK_CPU`.

`JUMOK_CPU=native` (the default) uses everything, `baseline` only what every processor of the architecture has, `avx2`
and `avx512` these extensions of x86-64. Fewer instructions than the processor has are for tests (`make test-cpu`) and
for results that must not depend on the machine's generation.
"""

import os
import platform
from pathlib import Path

from jumok.errors import InputError

VARIABLE = "JUMOK_CPU"
_AVX2 = ("-march=x86-64", "-mavx2", "-mfma")
_X86 = {
    "baseline": ("-march=x86-64",),
    "avx2": _AVX2,
    "avx512": (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"),
    "native": ("-march=native",),
}
_ARM = {"baseline": ("-march=armv8-a",), "native": ("-mcpu=native",)}
_OTHER = {"baseline": (), "native": ("-march=native",)}
# As /proc/cpuinfo names them.
_NEEDED = {"avx2": {"avx2", "fma"}, "avx512": {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"}}
NAMES = tuple(_X86)


def compiler_flags() -> tuple[str, ...]:
    """The compiler's flags for the instructions that `JUMOK_CPU` asks for."""
    name = os.environ.get(VARIABLE) or "native"
    if name not in NAMES:
        raise InputError(f"{VARIABLE} must be one of {', '.join(NAMES)}, not '{name}'.")
    if not is_present(name):
        raise InputError(f"{VARIABLE}={name} needs instructions that this processor does not have; use native.")
    return _levels()[name]


def is_present(name: str) -> bool:
    """Whether this processor can run code of the level `name`, as far as the system says what it has."""
    known = set(features().split())
    return name in _levels() and (not known or _NEEDED.get(name, set()) <= known)


def features() -> str:
    """What the processor can do, as far as the system says so: a cache may be shared by unlike machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _levels() -> dict[str, tuple[str, ...]]:
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        return _X86
    return _ARM if machine in ("arm64", "aarch64") else _OTHER
