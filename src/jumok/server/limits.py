"""What the server takes at most. Every limit is on by default."""

from dataclasses import dataclass, fields

from jumok.arguments import check_finite


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of requests, of the queue and of time."""

    characters: int = 20_000
    """Of one text."""
    texts: int = 256
    """In one request."""
    alternatives: int = 10
    """Hypotheses of one text beside the best."""
    beam: int = 16
    glossary: int = 200
    """Terms in one request."""
    attention: int = 5_000
    """Characters of one request that asks for attention: every head is a number for each pair of tokens."""
    body: int = 2_000_000
    """Bytes of one request."""
    bodies: int = 64_000_000
    """Bytes of all requests whose bodies are still arriving; more get 503."""
    requests: int = 512
    """Answered at the same time, once their bodies are there; more get 503."""
    queue: int = 2048
    """Sentences that wait; requests beyond get 429."""
    batch: int = 128
    """Sentences translated together."""
    rows: int = 128
    """Hypotheses searched together, as many as the quick engines take at once: with a beam of five 25 sentences."""
    linger: float = 0.002
    """Seconds that a batch waits for company while another worker is busy; an idle server waits for nothing."""
    deadline: float = 30.0
    """Seconds from arrival to answer; a request that waits longer gets 503, and its search is ended."""
    body_seconds: float = 10.0
    """Until a request's headers, and then its body, must be there."""
    rate: int = 6000
    """Requests of a key in a minute; more get 429."""
    drain: float = 30.0
    """Seconds that requests have to end after SIGTERM."""

    def __post_init__(self) -> None:
        for one in fields(self):
            check_finite(f"the limit {one.name}", getattr(self, one.name), 0, 1e9)
