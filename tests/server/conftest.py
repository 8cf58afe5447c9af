"""One server for all tests of this folder, and what its model answers without a server."""

import httpx
import pytest

from jumok.decoding.translator import Translator
from jumok.engine.loading import EngineChoice, open_engine
from tests.server.process import LINES, TRAINED, start


@pytest.fixture(scope="session")
def served():
    process, address = start(str(TRAINED / "rnnsearch"), "--workers", "1")
    with httpx.Client(base_url=address, timeout=60) as client:
        yield process, client, address
    process.terminate()
    assert process.wait(30) == 0


@pytest.fixture(scope="session")
def alone():
    """The same model without a server: each line by itself."""
    translator = Translator([open_engine(TRAINED / "rnnsearch", "cpu", EngineChoice("fast"))])
    return {line: translator.translate(line).text for line in LINES}
