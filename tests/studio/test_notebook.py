"""What a notebook is given: one frame, one known script, the answer as data, and a plain picture otherwise."""

import base64
import json
import pickle
import re
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest

import jumok
from jumok.decoding.translation import Translation
from jumok.studio import notebook
from tests.studio.conftest import GOLDEN

HOSTILE = "I </script><script>alert(1)</script> <!-- book"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A built component that holds what would end a script element."""
    path = tmp_path / "notebook.js"
    path.write_text('"</script>"; "</SCRIPT>"')
    monkeypatch.setattr(notebook, "SCRIPT", path)
    notebook.component.cache_clear()
    yield path
    notebook.component.cache_clear()


@pytest.fixture(scope="module")
def translated() -> Translation:
    return jumok.load(GOLDEN / "rnnsearch-1").translate(HOSTILE, beam=2)


def test_the_frame_holds_the_answer_and_one_script_by_its_hash(script: Path, translated: Translation):
    markup = translated._repr_html_()
    assert markup is not None
    assert re.findall(r"<(\w+)", markup) == ["iframe"]
    assert 'sandbox="allow-scripts allow-downloads"' in markup
    found = re.search(r'srcdoc="([^"]*)"', markup)
    assert found is not None
    page = unescape(found[1])
    blocks = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [attributes for attributes, _ in blocks] == [' type="application/json" id="answer"', ""]
    answer = json.loads(blocks[0][1])
    assert answer["reading"]["target"]["text"] == translated.text
    assert answer["reading"]["source"]["text"] == HOSTILE
    assert answer["reading"]["run"]["hash"] == translated.run.hash  # type: ignore[union-attr]
    digest = base64.b64encode(sha256(blocks[1][1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page


def test_a_copy_in_another_process_leaves_the_model_behind(script: Path, translated: Translation):
    copy = pickle.loads(pickle.dumps(translated))
    assert (copy.text, copy.run) == (translated.text, None)
    assert copy._repr_html_() is None
    assert copy._repr_svg_() is not None


def test_an_empty_line_has_nothing_to_show(script: Path):
    assert jumok.load(GOLDEN / "rnnsearch-1").translate("")._repr_html_() is None
