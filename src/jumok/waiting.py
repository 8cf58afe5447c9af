"""How OpenMP threads wait for each other, decided before torch is imported.

A program that shares its cores with others should lose no more than the others' fair share.
"""

import os
from collections.abc import MutableMapping

# Each of these says how long an OpenMP thread spins: to OpenMP in general, to GNU's library and to LLVM's.
WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


def wait_passively(environment: MutableMapping[str, str] = os.environ) -> None:
    """Lets OpenMP threads sleep while they wait for each other, unless the user chose how they wait.

    GNU's OpenMP, which torch brings along on Linux, spins for about 3 ms at each meeting of its threads otherwise: time
    that a thread of ours would have used, had another program not been given its core. It reads the variable once, when
    torch is imported, so this comes first. Processes that we start inherit it.
    """
    if not any(name in environment for name in WAITING):
        environment["OMP_WAIT_POLICY"] = "PASSIVE"
