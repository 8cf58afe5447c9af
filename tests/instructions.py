"""The numeric tests with instruction sets held down, as on older processors: `python -m tests.instructions [--short]`.

Every library that computes is told by its own variable: torch, oneDNN, MKL, numpy's OpenBLAS, CTranslate2, and our C
sources (`JUMOK_CPU`). What this processor lacks is left out and said. `--short` runs a part of the tests, at the levels
below the processor's own, which `make test` uses anyway.
"""

import os
import subprocess
import sys

from jumok.compiled import processor

LEVELS = {
    "baseline": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "MKL_CBWR": "COMPATIBLE",
        "OPENBLAS_CORETYPE": "Prescott",
        "CT2_FORCE_CPU_ISA": "GENERIC",
        "JUMOK_CPU": "baseline",
    },
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "MKL_CBWR": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "CT2_FORCE_CPU_ISA": "AVX2",
        "JUMOK_CPU": "avx2",
    },
    "avx512": {
        "ATEN_CPU_CAPABILITY": "avx512",
        "ONEDNN_MAX_CPU_ISA": "AVX512_CORE",
        "MKL_ENABLE_INSTRUCTIONS": "AVX512",
        "MKL_CBWR": "AVX512",
        "OPENBLAS_CORETYPE": "SkylakeX",
        "CT2_FORCE_CPU_ISA": "AVX512",
        "JUMOK_CPU": "avx512",
    },
}
TORCH_SAYS = {"baseline": "DEFAULT", "avx2": "AVX2", "avx512": "AVX512"}
TESTS = ["tests/attention", "tests/compiled", "tests/laws", "tests/models", "tests/training", "tests/engine"]
SHORT = [
    "tests/attention/test_kernels.py",
    "tests/attention/test_short_kernel.py",
    "tests/compiled/test_kernels.py",
    "tests/models/test_recurrent.py",
    "tests/models/test_transformer.py",
    "tests/training/test_workers.py",
    "tests/training/test_loop.py",
    "tests/training/test_loss.py",
    "tests/engine/test_fast.py",
]


def present() -> list[str]:
    """The levels that this processor has, least first; none where it is not x86-64, which the variables are for."""
    return [level for level in LEVELS if processor.is_present(level) and processor.is_present("avx2")]


def is_held_down(level: str) -> bool:
    """Whether torch, in a process with the level's variables, says that it uses no more."""
    code = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    environment = {**os.environ, **LEVELS[level]}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip() == TORCH_SAYS[level]


def run(level: str, tests: list[str]) -> int:
    """Pytest's exit code at a level."""
    if not is_held_down(level):
        print(f"torch does not obey ATEN_CPU_CAPABILITY={LEVELS[level]['ATEN_CPU_CAPABILITY']}.")
        return 1
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *tests]
    return subprocess.run(command, env={**os.environ, **LEVELS[level]}, check=False).returncode


def main(short: bool) -> int:
    """Goes through the levels and says which ones failed."""
    levels = present()
    print(f"This processor has: {', '.join(levels) or 'none of ' + ', '.join(LEVELS)}.")
    chosen = levels[:-1] if short else levels
    failed = []
    for level in chosen:
        print(f"Numeric tests, {level}:", flush=True)
        if run(level, SHORT if short else TESTS):
            failed.append(level)
    print(f"Failed: {', '.join(failed)}." if failed else f"Passed: {', '.join(chosen) or 'nothing to hold down'}.")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main("--short" in sys.argv[1:]))
