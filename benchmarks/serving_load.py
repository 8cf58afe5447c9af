"""Clients for `benchmarks/serving.py`: keep-alive connections in one event loop, with little work of their own."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import uvloop


@dataclass
class Answered:
    """What clients saw: the seconds of each answer by its status, and how long all took together."""

    seconds: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    elapsed: float = 0.0
    processor: float = 0.0
    """Seconds of processor time that the clients took themselves."""

    def add(self, status: int, seconds: float) -> None:
        """Notes an answer."""
        self.seconds.setdefault(status, []).append(seconds)

    @property
    def good(self) -> list[float]:
        """Seconds of the translations."""
        return self.seconds.get(200, [])


def request(address: str, texts: str | list[str], beam: int) -> bytes:
    """A whole HTTP request of our own API."""
    return post(address, "/v1/translate", {"text": texts, "beam": beam})


def post(address: str, path: str, tree: dict[str, Any]) -> bytes:
    """A whole HTTP request with a JSON body."""
    body = json.dumps(tree).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> int:
    """Sends a request and reads its whole answer; gives the status."""
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.partition(b":")[2]))
    return int(head[9:12])


async def connect(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the server."""
    parts = urlsplit(address)
    return await asyncio.open_connection(parts.hostname, parts.port)


async def client(address: str, work: "list[bytes]", answered: Answered, until: float) -> None:
    """One client: takes requests from the end of the common list until it is empty or the time is over."""
    reader, writer = await connect(address)
    while work and time.perf_counter() < until:
        sent, start = work.pop(), time.perf_counter()
        answered.add(await ask(reader, writer, sent), time.perf_counter() - start)
    writer.close()


async def load(address: str, requests: Sequence[bytes], clients: int, seconds: float = 600.0) -> Answered:
    """Sends all requests from that many clients, for at most so many seconds: each one after its last answer."""
    answered, work, start = Answered(), list(requests), time.perf_counter()
    used = time.process_time()
    await asyncio.gather(*(client(address, work, answered, start + seconds) for _ in range(clients)))
    answered.elapsed = time.perf_counter() - start
    answered.processor = time.process_time() - used
    return answered


def run_load(address: str, requests: Sequence[bytes], clients: int, seconds: float = 600.0) -> Answered:
    """`load` in an event loop of its own, the quickest there is."""
    return uvloop.run(load(address, requests, clients, seconds))


async def stall(address: str, count: int, seconds: float) -> tuple[int, float]:
    """Opens connections that send half a request; gives how many the server closed in time, and when the last one."""
    held = [await connect(address) for _ in range(count)]
    start, closed, last = time.perf_counter(), 0, 0.0
    head, body = b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"Content-Length: 9\r\n\r\n{"
    for number, (_, writer) in enumerate(held):
        writer.write(head + body if number % 2 else head)

    async def wait(reader: asyncio.StreamReader) -> None:
        nonlocal closed, last
        try:
            async with asyncio.timeout(seconds):
                await reader.read()
        except (TimeoutError, OSError):
            return
        closed, last = closed + 1, time.perf_counter() - start

    await asyncio.gather(*(wait(reader) for reader, _ in held))
    for _, writer in held:
        writer.close()
    return closed, last
