"""The C sources on other compilers and processors: no warnings, and the same numbers."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jumok.compiled import kernels, processor
from jumok.compiled.build import FLAGS, SHARED
from jumok.engine import library
from jumok.errors import InputError
from tests.compiled.compilers import CLANG, CROSS, EMULATOR, GCC, Tool

PARTS = (kernels.PART, library.PART)
STRICT = ("-Wall", "-Wextra", "-Werror")
SMOKE = Path(__file__).with_name("smoke.c")
ON_X86 = platform.machine().lower() in ("x86_64", "amd64")


def need(*tools: Tool) -> None:
    for tool in tools:
        if not tool.found:
            pytest.skip(f"{tool.program} is not here ({tool.without}); `make compilers` tries to get it")


def compile_strictly(command: list[str]) -> None:
    done = subprocess.run([command[0], *STRICT, *command[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def build_smoke(compiler: list[str], made: Path) -> Path:
    """The program that compares the kernels with plain loops; it uses only some of the headers' functions."""
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fPIC")]
    headers = [f"-I{SHARED}", f"-I{library.PART.source.parent}", "-Wno-unused-function"]
    compile_strictly([*compiler, *flags, *headers, str(SMOKE), str(kernels.PART.source), "-o", str(made), "-lm"])
    return made


def assert_smoke(*command: str) -> None:
    """All numbers are right; and a product with one weight off by 0.001 is found out."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[1:]) == (0, ["numbers,", "0", "wrong"]), done.stdout + done.stderr
    broken = subprocess.run([*command, "break"], capture_output=True, text=True, check=False)
    assert broken.returncode == 1
    assert broken.stdout.startswith("product: "), broken.stdout


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
@pytest.mark.parametrize("tool", [GCC, CLANG], ids=lambda tool: tool.program)
def test_each_level_compiles_without_a_warning(tool, level, tmp_path, monkeypatch):
    """Also for instructions that this processor lacks: compiling needs none of them."""
    need(tool)
    if level != "baseline" and not ON_X86:
        pytest.skip(f"{level} is for x86-64")
    monkeypatch.setattr(processor, "is_present", lambda name: True)
    monkeypatch.setenv(processor.VARIABLE, level)
    for part in PARTS:
        compile_strictly(part.command(tool.program, tmp_path / "made.so"))


@pytest.mark.parametrize("level", processor.NAMES)
@pytest.mark.parametrize("tool", [GCC, CLANG], ids=lambda tool: tool.program)
def test_each_level_computes_what_plain_loops_compute(tool, level, tmp_path, monkeypatch):
    need(tool)
    if not processor.is_present(level):
        pytest.skip(f"this processor does not have {level}")
    monkeypatch.setenv(processor.VARIABLE, level)
    assert_smoke(str(build_smoke([tool.program, *processor.compiler_flags()], tmp_path / "smoke")))


def test_aarch64_compiles_without_a_warning(tmp_path):
    need(CROSS)
    for part in PARTS:
        command = [CROSS.program, *FLAGS, "-march=armv8-a", f"-I{SHARED}", "-o", str(tmp_path / "made.so")]
        compile_strictly([*command, str(part.source), "-lm"])


def test_aarch64_computes_what_plain_loops_compute(tmp_path):
    need(CROSS, EMULATOR)
    program = build_smoke([CROSS.program, "-march=armv8-a", "-static"], tmp_path / "smoke")
    assert_smoke(EMULATOR.program, str(program))


# ---------------------------------------------------------------- JUMOK_CPU


def test_each_level_has_a_library_of_its_own(monkeypatch):
    places = set()
    present = [level for level in processor.NAMES if processor.is_present(level)]
    for level in present:
        monkeypatch.setenv(processor.VARIABLE, level)
        places |= {part.place("cc") for part in PARTS}
    assert len(places) == len(PARTS) * len(present)
    monkeypatch.delenv(processor.VARIABLE)
    assert {part.place("cc") for part in PARTS} <= places  # native is the default


@pytest.mark.skipif(not ON_X86 or not shutil.which("objdump"), reason="needs objdump and an x86-64 processor")
def test_the_baseline_uses_no_wide_registers(tmp_path):
    """In a process of its own, which builds the library and asks what is in it."""
    code = (
        "import subprocess; from jumok.engine.library import PART; PART.load();"
        "from jumok.compiled.build import _compiler; place = str(PART.place(_compiler()));"
        "print(subprocess.run(['objdump', '-d', place], stdout=-1, text=True, check=True).stdout.count('ymm'))"
    )
    found = {}
    for level in ("baseline", "avx2"):
        environment = {**os.environ, processor.VARIABLE: level, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found[level] = int(done.stdout)
    assert found["baseline"] == 0
    assert found["avx2"] > 100 or not processor.is_present("avx2")


def test_an_unknown_level_is_refused(monkeypatch):
    monkeypatch.setenv(processor.VARIABLE, "fast")
    sentence = r"^JUMOK_CPU must be one of baseline, avx2, avx512, native, not 'fast'\.$"
    with pytest.raises(InputError, match=sentence):
        library.PART.load()
    kernels._functions.cache_clear()
    with pytest.raises(InputError, match=sentence):
        kernels.available()


def test_a_level_that_the_processor_lacks_is_refused(monkeypatch):
    """Before the first of its instructions ends the process."""
    monkeypatch.setenv(processor.VARIABLE, "avx512")
    monkeypatch.setattr(processor, "features", lambda: "flags : fpu sse2 avx2 fma")
    with pytest.raises(InputError, match="JUMOK_CPU=avx512 needs instructions that this processor does not have"):
        library.PART.load()
