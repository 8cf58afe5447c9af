"""The program that measures the server: a rate is told only where the measurements differ by more than unrest."""

import socket
from concurrent.futures import ThreadPoolExecutor

from tests.benchmarks.programs import load


def test_a_rate_needs_a_difference():
    rate = load("serving").rate
    assert rate(100, 2.0, 4.0) == 50.0
    assert [rate(100, difference, 4.0) for difference in (0.3, 0.0, -1.0)] == [None] * 3


def test_the_rows_of_an_overload_tell_refusals_from_requests_that_expired():
    program, flood = load("serving"), load("serving_flood")
    found = flood.Flooded(seconds={200: [1.0, 4.0], 429: [0.01] * 99, 503: [0.05]}, elapsed=10.0, processor=1.0)
    rows = program.overload_rows(found, 20.0, (90.0, 100.0, 104.0), 0.5)
    assert [row.good for row in rows] == [None, True, True, True, True]
    found.expired.append(5.1)
    found.seconds[503].append(0.2)
    rows = program.overload_rows(found, 20.0, (90.0, 100.0, 106.0), 2.5)
    assert [row.good for row in rows] == [None, False, False, False, False]


def test_a_flood_keeps_its_rate_and_counts_every_answer():
    flood = load("serving_flood")
    answer = b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}"
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(4) as pool:

        def serve(number: int) -> int:
            one, count = listening.accept()[0], 0
            with one:
                while one.recv(100):
                    count += 1
                    one.sendall(answer[:20])
                    one.sendall(answer[20:])
            return count

        served = [pool.submit(serve, number) for number in range(4)]
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        found = flood.Flood(address, 4).run([b"x" * 50], rate=100.0, seconds=1.0, patience=10.0)
        assert sum(one.result() for one in served) == found.answered == len(found.seconds[429])
    assert 50 <= found.answered + found.left_out <= 101
    assert not found.broken
