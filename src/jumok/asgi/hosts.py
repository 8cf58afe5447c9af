"""Host names and addresses, and a socket to listen on."""

import ipaddress
import socket
from collections.abc import Sequence

from jumok.errors import ConfigError


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_address(name: str) -> bool:
    """Whether the name is an address in figures."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def split_host(header: str) -> tuple[str, int | None]:
    """`localhost:8000` → (`localhost`, 8000); an address of version 6 stands in brackets."""
    name, port = header.strip().lower(), ""
    if name.startswith("["):
        name, _, rest = name[1:].partition("]")
        port = rest.removeprefix(":")
    elif name.count(":") == 1:
        name, _, port = name.partition(":")
    if not port:
        return name, None
    return (name, int(port)) if port.isascii() and port.isdigit() and len(port) <= 5 else ("", None)


def listen(host: str, ports: Sequence[int], who: str) -> socket.socket:
    """A socket on that host, on the first port that is free; 0 is any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(1024)
            return listening
        except (OSError, OverflowError) as error:
            listening.close()
            reason = getattr(error, "strerror", None) or str(error)
            if port == ports[-1]:
                raise ConfigError(f"{who} cannot listen on {host}:{port}: {reason}; name another.") from None
    raise AssertionError("unreachable")
