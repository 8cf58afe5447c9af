"""The program that measures the server: a rate is told only where the measurements differ by more than unrest."""

from tests.benchmarks.programs import load


def test_a_rate_needs_a_difference():
    rate = load("serving").rate
    assert rate(100, 2.0, 4.0) == 50.0
    assert [rate(100, difference, 4.0) for difference in (0.3, 0.0, -1.0)] == [None] * 3
