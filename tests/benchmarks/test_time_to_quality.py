"""When a level was passed, and what OpenNMT-py's log says."""

from tests.benchmarks.programs import load

program = load("time_to_quality")


def test_first_passes():
    curve = [{"minutes": 1.0, "bleu": 20.0}, {"minutes": 2.0, "bleu": 31.0}, {"minutes": 3.0, "bleu": 29.0}]
    assert program.first_passes(curve) == {"25": 1 + 5 / 11, "30": 1 + 10 / 11, "35": None}


def test_the_time_of_a_run_that_went_on_is_counted_on():
    lines = [
        {"event": "started", "step": 0, "training_seconds": 0.0},
        {"event": "saved", "step": 10, "training_seconds": 30.0},
        {"event": "logged", "step": 15, "training_seconds": 45.0},  # lost: it was killed after the last checkpoint
        {"event": "started", "step": 10, "training_seconds": 0.0},
        {"event": "validated", "step": 20, "training_seconds": 31.0},
    ]
    assert program.busy_seconds(lines)[20] == 61.0


def test_steps_of_a_log():
    log = (
        "[2024-01-01 INFO] Step 100/100000; acc: 12.1; ppl: 900.0; xent: 6.8; lr: 0.00017; sents: 9; bsz: 1/ 2/ 1; "
        "3000/3100 tok/s;     61 sec;\n"
        "[2024-01-01 INFO] Step 200/100000; acc: 20.0; ppl: 300.0; xent: 5.7; lr: 0.00035; 30/31 tok/s;    122 sec;\n"
    )
    assert program.steps_of(log) == [(100, 61.0), (200, 122.0)]


def test_pieces_are_joined_to_text():
    assert program.joined("▁a ▁man ▁sleep s .") == "a man sleeps."
