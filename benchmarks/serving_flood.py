"""More requests than a server takes, for `benchmarks/serving.py`: at a rate, whatever the server does with them.

One process over `epoll`, without an event loop of Python's: a few hundredths of a millisecond of its own per request. A
request's time begins when its bytes are handed to the system and ends when its answer is read. How long this program
itself leaves answers unread cannot be told from the server's time; its longest turn says how much that can be.
"""

import select
import socket
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

EXPIRED = 0
LEAD = 0.25
"""Seconds by which requests may be behind their rate and are still sent; older ones are left out, and counted."""


@dataclass
class Flooded:
    """What came of a flood: `seconds` of each answer by its status."""

    seconds: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    first: float = 0.0
    """Seconds of the slowest refusal on a connection that was new and had to be accepted before."""
    elapsed: float = 0.0
    over: float = 0.0
    """When the last request had been sent, by `time.perf_counter`."""
    processor: float = 0.0
    longest_turn: float = 0.0
    """Seconds between two looks at what has arrived, at most."""
    left_out: int = 0
    """Requests that no connection was free for."""
    broken: int = 0
    """Connections that the server closed."""
    expired: list[float] = field(default_factory=list[float])
    """Seconds of requests that were accepted and not answered by their deadline."""

    @property
    def good(self) -> list[float]:
        """Seconds of the translations."""
        return self.seconds.get(200, [])

    @property
    def answered(self) -> int:
        """All answers."""
        return sum(map(len, self.seconds.values())) + len(self.expired)


class Connection:
    """A keep-alive connection with at most one request under way."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.start, self.count, self._got = 0.0, 0, b""

    def send(self, request: bytes) -> None:
        """Sends a request; they are small, so that the system takes them whole."""
        self.start, self.count = time.perf_counter(), self.count + 1
        if self.socket.send(request) != len(request):
            raise ConnectionError("the request was not taken whole")

    def receive(self) -> int | None:
        """The status of an answer that is complete, None as long as it is not; EXPIRED where the deadline passed."""
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("closed")
        self._got += part
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found:
            return None
        at = head.lower().index(b"content-length:") + 15
        if len(body) < int(head[at : at + 12].split(b"\r", 1)[0]):
            return None
        self._got = b""
        return EXPIRED if b'"deadline"' in body and head[9:12] == b"503" else int(head[9:12])


class Flood:
    """Connections that send requests at a rate, in one loop."""

    def __init__(self, address: str, clients: int) -> None:
        parts = urlsplit(address)
        self.found, self._poll = Flooded(), select.epoll()
        self._all: dict[int, Connection] = {}
        for _ in range(clients):
            one = Connection((parts.hostname or "127.0.0.1", parts.port or 80))
            self._all[one.socket.fileno()] = one
            self._poll.register(one.socket, select.EPOLLIN)
        self._free = deque(self._all.values())

    def run(self, requests: Sequence[bytes], rate: float, seconds: float, patience: float) -> Flooded:
        """Sends for so many seconds, and waits for the last answers for as long as `patience`."""
        start, used, sent = time.perf_counter(), time.process_time(), 0
        turn = start
        while (now := time.perf_counter()) < start + seconds:
            self.found.longest_turn = max(self.found.longest_turn, now - turn)
            turn = now
            sent = self._send_due(requests, sent, (now - start) * rate, rate)
            self._receive(min(0.001, max(0.0, start + (sent + 1) / rate - now)))
        self.found.over = time.perf_counter()
        self.found.elapsed, self.found.processor = self.found.over - start, time.process_time() - used
        while self._under_way() and time.perf_counter() < start + seconds + patience:
            self._receive(0.05)
        self._close()
        return self.found

    def _send_due(self, requests: Sequence[bytes], sent: int, due: float, rate: float) -> int:
        """Sends what is due, a few at a time so that answers are read in between; gives how many were sent or left."""
        if (late := int(due - rate * LEAD) - sent) > 0:
            self.found.left_out += late
            sent += late
        for _ in range(min(16, int(due) - sent, len(self._free))):
            one = self._free.popleft()
            try:
                one.send(requests[sent % len(requests)])
            except OSError:
                self._drop(one)
            sent += 1
        return sent

    def _receive(self, wait: float) -> None:
        """Notes the answers that have arrived."""
        for number, _ in self._poll.poll(wait, 64):
            one = self._all[number]
            try:
                status = one.receive()
            except OSError:
                self._drop(one)
                continue
            if status is not None:
                self._note(one, status, time.perf_counter() - one.start)

    def _note(self, one: Connection, status: int, took: float) -> None:
        """Counts an answer; its connection is free again."""
        into = self.found.expired if status == EXPIRED else self.found.seconds.setdefault(status, [])
        into.append(took)
        if one.count == 1 and status not in (200, EXPIRED):
            self.found.first = max(self.found.first, took)
        self._free.append(one)

    def _drop(self, one: Connection) -> None:
        """A connection that is broken is not used again."""
        self.found.broken += 1
        del self._all[one.socket.fileno()]
        self._poll.unregister(one.socket)
        one.socket.close()

    def _under_way(self) -> int:
        return len(self._all) - len(self._free)

    def _close(self) -> None:
        for one in self._all.values():
            one.socket.close()
        self._poll.close()
