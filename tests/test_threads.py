"""OpenMP threads wait passively unless the user chose otherwise, and a second thread is used where it is worth it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from jumok import threads
from jumok.aligner import Settings, align_bitext
from jumok.cli.opening import load_translator
from jumok.threads import threads_for, threads_for_decoding, torch_threads
from jumok.waiting import WAITING, wait_passively

SPIN = "GOMP_SPINCOUNT"


def spins(program: str, **chosen: str) -> str:
    """How often torch's own OpenMP library says that it will look before a thread sleeps."""
    environment = {name: value for name, value in os.environ.items() if name not in WAITING}
    environment |= {"OMP_DISPLAY_ENV": "VERBOSE", **chosen}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    lines = [line.strip() for line in done.stderr.splitlines() if SPIN in line]
    return lines[-1].partition("= ")[2].strip("'") if lines else "other library"


def test_the_wait_policy_reaches_the_library_that_torch_uses():
    usual = spins("import torch")
    assert int(usual) > 0
    assert spins("import jumok, torch") == "0"
    assert spins("import jumok.aligner") == "0"
    assert spins("import torch, jumok") == usual  # too late: the library has read its variables
    child = "import jumok, subprocess, sys; subprocess.run([sys.executable, '-c', 'import torch'], check=True)"
    assert spins(child) == "0"
    assert spins("import jumok, torch", GOMP_SPINCOUNT="70") == "70"
    assert int(spins("import jumok, torch", OMP_WAIT_POLICY="ACTIVE")) > int(usual)


@pytest.mark.parametrize("name", WAITING)
def test_what_the_user_set_is_kept(name):
    environment = {name: "5"}
    wait_passively(environment)
    assert environment == {name: "5"}
    fresh: dict[str, str] = {}
    wait_passively(fresh)
    assert fresh == {"OMP_WAIT_POLICY": "PASSIVE"}


@pytest.mark.parametrize(("gain", "asked", "used"), [(1.14, 0, 1), (1.15, 0, 7), (1.9, 0, 7), (1.0, 3, 3), (1.9, 3, 3)])
def test_a_second_thread_must_gain_15_per_cent(monkeypatch, gain, asked, used):
    monkeypatch.setattr(threads, "GAINED_BY_TWO", {"aligner": gain})
    assert threads_for("aligner", asked, present=7) == used


@pytest.mark.parametrize(("size", "used"), [(48, 1), (128, 1), (256, 1), (511, 1), (512, 7), (1024, 7)])
def test_a_small_decoder_uses_one_thread(size, used):
    assert threads_for_decoding(size, 0, present=7) == used
    assert threads_for_decoding(size, 2, present=7) == 2


@pytest.mark.parametrize(("asked", "used"), [(0, 1), (2, 2)])
def test_the_command_line_decodes_with_them(asked, used):
    with torch_threads(3):
        load_translator(Path(__file__).parent / "golden" / "transformer-1", "cpu", asked, None)
        assert torch.get_num_threads() == used


def test_the_aligner_uses_one_thread_and_gives_the_others_back():
    seen: list[int] = []
    pairs, quick = [("a b", "A B"), ("b", "B")], Settings(size=8, epochs=1, least_steps=1)
    with torch_threads(3):
        align_bitext(pairs, quick, lambda *_: seen.append(torch.get_num_threads()))
        align_bitext(pairs, quick, lambda *_: seen.append(torch.get_num_threads()), threads=2)
        assert torch.get_num_threads() == 3
    assert seen == [1, 1, 2, 2]
