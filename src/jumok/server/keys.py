"""Keys of clients: a file of hashes, one line per key.

    NAME  SHA-256 of the key  [requests per minute]  [glossary file]

Keys are 256 random bits, so a plain hash of them cannot be guessed from; the file holds nothing that lets anybody in.
"""

import hmac
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from jumok.errors import ConfigError
from jumok.server.problems import RefusedError


@dataclass(frozen=True)
class Key:
    """Who may ask, and how often."""

    name: str
    sha256: str
    rate: int
    glossary: dict[str, str] = field(default_factory=dict[str, str])


def new_key(path: Path, name: str) -> str:
    """A new key for a client; its hash is added to the file, itself it is told only now."""
    if not name or len(name.split()) != 1:
        raise ConfigError(f"A key's name must be one word, not '{name}'.")
    if path.exists() and any(key.name == name for key in read_keys(path, 1)):
        raise ConfigError(f"{path} has a key '{name}' already; choose another name or remove its line.")
    key = f"jk_{secrets.token_urlsafe(32)}"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{name} {digest(key)}\n")
    path.chmod(0o600)
    return key


def digest(key: str) -> str:
    """What the file keeps of a key."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def read_keys(path: Path, rate: int) -> list[Key]:
    """The keys of a file; empty lines and those that begin with # are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The key file {path} cannot be read: {error}.") from None
    told = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip() and line.strip()[0] != "#"]
    return [_key(path, number, parts, rate) for number, parts in told]


def _key(path: Path, number: int, parts: list[str], rate: int) -> Key:
    wrong = ConfigError(f"{path}, line {number}: a key is NAME SHA256 [requests per minute] [glossary file].")
    if not 2 <= len(parts) <= 4 or len(parts[1]) != 64 or not set(parts[1].lower()) <= set("0123456789abcdef"):
        raise wrong
    if len(parts) > 2 and not parts[2].isdigit():
        raise wrong
    glossary = read_glossary(path.parent / parts[3]) if len(parts) > 3 else {}
    return Key(parts[0], parts[1].lower(), int(parts[2]) if len(parts) > 2 else rate, glossary)


def read_glossary(path: Path) -> dict[str, str]:
    """Terms of a file: source, a tab, target."""
    try:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The glossary {path} cannot be read: {error}.") from None
    if any(len(row) != 2 or not row[0].strip() or not row[1].strip() for row in rows):
        raise ConfigError(f"{path}: each line of a glossary is a source term, a tab and a target term.")
    return {row[0].strip(): row[1].strip() for row in rows}


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
        now = time.monotonic()
        left, at = self._left.get(key.name, (float(key.rate), now))
        left = min(float(key.rate), left + (now - at) * key.rate / 60)
        if left < 1:
            seconds = max(1, round(60 / max(1, key.rate)))
            raise RefusedError(429, "rate", f"The key may ask {key.rate} times a minute; wait.", retry=seconds)
        self._left[key.name] = (left - 1, now)
