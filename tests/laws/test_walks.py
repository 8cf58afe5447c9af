"""How many functions a translation passes through from the command to the search; drawn in docs/architecture.md."""

import inspect

import pytest

import jumok.decoding.torch_engine
from jumok.engine.search import FastSearcher
from tests.test_cli_translate import LINES, RUN

MOST_HOPS = 12


def hops() -> list[str]:
    """The package's functions that are under way, the outermost first, as `room/file.py function`."""
    frames = [(one.filename.partition("/src/jumok/")[2], one.function) for one in inspect.stack(0)]
    return [f"{file} {function}" for file, function in reversed(frames) if file]


@pytest.mark.parametrize(
    ("engine", "owner", "name"),
    [("fast", FastSearcher, "search"), ("torch", jumok.decoding.torch_engine, "beam_search")],
)
def test_from_the_command_to_the_search(engine, owner, name, tmp_path, monkeypatch, call):
    search, walked = getattr(owner, name), []

    def noted(*given, **choices):
        walked.append([*hops(), name])
        return search(*given, **choices)

    monkeypatch.setattr(owner, name, noted)
    text = tmp_path / "in.txt"
    text.write_text(LINES[0] + "\n", encoding="utf-8")
    asked = ("--beam", 5, "--attention", "--json", "--workers", 1, "--engine", engine)
    code, out, _ = call("translate", RUN, text, *asked)
    assert code == 0
    assert '"attention"' in out
    assert len(walked) == 1
    rooms = [hop.partition("/")[0] for hop in walked[0]]
    assert len(rooms) <= MOST_HOPS, walked[0]
    assert "cli" in rooms
    # No hop goes back up into a command.
    assert "cli" not in rooms[rooms.index("decoding") :], walked[0]
