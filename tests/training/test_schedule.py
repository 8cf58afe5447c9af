"""Learning rates are the formulas' values."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.training.loop import CLOCKS, Clock
from jumok.training.schedule import Schedule

SHAPES = ("constant", "inverse_sqrt", "cosine", "linear", "plateau")


@pytest.mark.parametrize(
    ("shape", "step", "expected"),
    [
        ("constant", 700, 0.3),
        ("inverse_sqrt", 400, 0.3 * math.sqrt(100 / 400)),
        ("cosine", 600, 0.3 * 0.5 * (1 + math.cos(math.pi * 500 / 1000))),
        ("cosine", 1100, 0.0),
        ("linear", 350, 0.3 * (1 - 250 / 1000)),
        ("plateau", 900, 0.3),
    ],
)
def test_values(shape, step, expected):
    assert Schedule(shape, 0.3, 100, 1100).rate(step) == pytest.approx(expected)


@given(st.sampled_from(SHAPES), st.integers(1, 200), st.integers(1, 1000))
def test_warmup_is_linear_and_nothing_exceeds_the_peak(shape, warmup, step):
    schedule = Schedule(shape, 0.3, warmup, 1000)
    rate = schedule.rate(step)
    assert 0 <= rate <= 0.3 + 1e-12
    if step <= warmup:
        assert rate == pytest.approx(0.3 * step / warmup)


def test_plateau_halves_after_patience_and_remembers():
    schedule = Schedule("plateau", 0.4, 0, 1000, factor=0.5, patience=2)
    for gained in (True, False, False):
        schedule.observe(gained)
    assert schedule.rate(10) == pytest.approx(0.2)
    again = Schedule("plateau", 0.4, 0, 1000, factor=0.5, patience=2)
    again.restore(schedule.state())
    again.observe(False)
    again.observe(False)
    assert again.rate(10) == pytest.approx(0.1)


def test_time_moves_the_schedule_where_steps_do_not():
    assert Schedule("linear", 1.0, 0, 10**9).rate(5, progress=0.25) == pytest.approx(0.75)


def test_a_limit_of_processor_time_does_not_count_waiting():
    clock = Clock(1.0, CLOCKS["processor"], before=6.0)
    before = clock.seconds
    time.sleep(0.3)
    assert clock.seconds - before < 0.2
    assert clock.share == pytest.approx(0.1, abs=0.01)
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    assert clock.seconds - before > 0.04
