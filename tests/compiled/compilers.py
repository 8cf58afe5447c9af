"""Compilers for the tests of the C sources, an emulator for a foreign processor, and how to get them."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

_GET = ("apt-get", "install", "--yes", "--no-install-recommends")


@dataclass(frozen=True)
class Tool:
    """A program, the packages of Debian that bring it, and what is left out without it."""

    program: str
    packages: tuple[str, ...]
    without: str

    @property
    def found(self) -> bool:
        """Whether it is here."""
        return shutil.which(self.program) is not None


GCC = Tool("gcc", ("gcc", "libc6-dev"), "the C sources are not tried with gcc")
CLANG = Tool("clang", ("clang",), "the C sources are not tried with clang")
CROSS = Tool(
    "aarch64-linux-gnu-gcc",
    ("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"),
    "the C sources are not compiled for aarch64",
)
EMULATOR = Tool("qemu-aarch64", ("qemu-user",), "the C sources are not run on aarch64")
TOOLS = (GCC, CLANG, CROSS, EMULATOR)


def install() -> int:
    """Tries to get what is missing and says what happened; never fails, because every other test can run without it."""
    missing = [tool for tool in TOOLS if not tool.found]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        names = [name for tool in missing for name in tool.packages]
        print(f"Asking Debian for {', '.join(names)}.")
        subprocess.run([*_GET, *names], check=False, stdout=subprocess.DEVNULL)
    for tool in TOOLS:
        how = f"missing (Debian: apt-get install {' '.join(tool.packages)}): {tool.without}"
        print(f"{tool.program}: {shutil.which(tool.program) if tool.found else how}.")
    return 0


if __name__ == "__main__":
    if "--install" in sys.argv[1:]:
        sys.exit(install())
    print(*(tool.program for tool in TOOLS if tool.found))
