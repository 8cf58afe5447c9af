"""A connection to a Ray cluster: an existing one by its address, or one on this machine for the time of the work."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from jumok.errors import ConfigError


@contextmanager
def connected(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Ray, ready; without an address a cluster on loopback that ends with the work. Nothing is reported to anyone."""
    if find_spec("ray") is None:
        raise ConfigError("This needs Ray; install it with: pip install 'jumok[ray]'.")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray  # pyright: ignore[reportMissingImports]

    if ray.is_initialized():
        yield
        return
    local = {} if address else {"num_cpus": processors, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **local)  # type: ignore[arg-type]
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"There is no Ray cluster at {address or 'this machine'}: {first_line(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


def first_line(error: Exception) -> str:
    """The first line of what another library says."""
    return (str(error).splitlines() or [type(error).__name__])[0]
