"""Keys of clients: a file of hashes, one line per key.

    NAME  SHA-256 of the key  [requests per minute]  [glossary file]

Keys are 256 random bits, so a plain hash of them cannot be guessed from; the file holds nothing that lets anybody in.
"""

import hmac
import math
import os
import re
import secrets
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jumok.durable import disk_errors
from jumok.errors import ConfigError
from jumok.server.glossary import Glossary, read_glossary
from jumok.server.problems import RefusedError

HASH = re.compile("[0-9a-fA-F]{64}")
SENTENCES = 16
"""A request counts once for so many sentences, and for what is left of them."""


@dataclass(frozen=True)
class Key:
    """Who may ask, and how often."""

    name: str
    sha256: str
    rate: int
    glossary: Glossary | None = None


def new_key(path: Path, name: str) -> str:
    """A new key for a client; its hash is added to the file, itself it is told only now."""
    if not name or len(name.split()) != 1 or name.startswith("#"):
        raise ConfigError(f"A key's name must be one word, not '{name}'.")
    if not path.parent.is_dir():
        raise ConfigError(f"There is no folder {path.parent} to write {path.name} to; make it first.")
    if path.exists() and any(key.name == name for key in read_keys(path, 1)):
        raise ConfigError(f"{path} has a key '{name}' already; choose another name or remove its line.")
    key = f"jk_{secrets.token_urlsafe(32)}"
    with disk_errors(path):
        before = path.read_bytes() if path.exists() else b""
        line = f"{name} {digest(key)}\n".encode()
        with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
            file.write(line if not before or before.endswith(b"\n") else b"\n" + line)
        path.chmod(0o600)
    return key


def digest(key: str) -> str:
    """What the file keeps of a key."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def read_keys(path: Path, rate: int) -> list[Key]:
    """The keys of a file; empty lines and those that begin with # are left out."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError(f"The key file {path} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"The key file {path} cannot be read: {error}.") from None
    told = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip() and line.strip()[0] != "#"]
    return [_key(path, number, parts, rate) for number, parts in told]


def _key(path: Path, number: int, parts: list[str], rate: int) -> Key:
    rated = len(parts) < 3 or (parts[2].isascii() and parts[2].isdigit() and len(parts[2]) < 10)
    if not (2 <= len(parts) <= 4 and rated and HASH.fullmatch(parts[1])):
        raise ConfigError(f"{path}, line {number}: a key is NAME SHA256 [requests per minute] [glossary file].")
    glossary = read_glossary(path.parent / parts[3]) if len(parts) > 3 else None
    return Key(parts[0], parts[1].lower(), int(parts[2]) if len(parts) > 2 else rate, glossary)


class Keyring:
    """The keys of a server, and how often each was used in the last minute."""

    def __init__(self, keys: list[Key]) -> None:
        self.keys = keys
        self._left: dict[str, tuple[float, float]] = {}

    def find(self, given: str | None) -> Key | None:
        """The key that was given; every hash is compared, in the same time."""
        found = None
        hashed = digest(given or "")
        for key in self.keys:
            if hmac.compare_digest(hashed, key.sha256):
                found = key
        return found

    def spend(self, key: Key) -> None:
        """Counts a request; raises when the key has had its share of the minute."""
        left = self._left_of(key)
        if left < 1:
            seconds = max(1, math.ceil((1 - left) * 60 / max(1, key.rate)))
            raise RefusedError(429, "rate", f"The key may ask {key.rate} times a minute; wait.", retry=seconds)
        self._left[key.name] = (left - 1, time.monotonic())

    def charge(self, key: Key, sentences: int) -> None:
        """Counts what a request has beyond the first `SENTENCES`: it is answered, and the next ones wait for it."""
        more = (sentences - 1) // SENTENCES
        if more > 0:
            self._left[key.name] = (self._left_of(key) - more, time.monotonic())

    def _left_of(self, key: Key) -> float:
        """Requests that the key has now; below 0 where it has asked for more than its share."""
        now = time.monotonic()
        left, at = self._left.get(key.name, (float(key.rate), now))
        return min(float(key.rate), left + (now - at) * key.rate / 60)
