"""Files that carry the model's hash and the sentence, and in which text is only ever text."""

import base64
import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.dom import minidom

import pytest
from PIL import Image

from jumok.studio.payload_views import ExportedJson
from tests.studio.conftest import TRAINED

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><script>alert(1)</script>",
    "javascript:alert(1)",
    '=HYPERLINK("http://evil")',
    "@SUM(1)",
    "+1",
    "\\input{/etc/passwd}",
    "%\n\\immediate\\write18{id}",
    "}}\\end{document}",
    "&lt;b&gt;",
    "]]><svg onload=alert(1)>",
    "\u202egnp.exe",
    "한글 ㅎㅏㄴ",
    "שלום",
    "'; DROP TABLE runs; --",
]
TREE = [
    {"id": 0, "parent": -1, "step": 0, "token": 2, "text": "<s>"},
    *({"id": n + 1, "parent": n, "step": n + 1, "token": 9, "text": text} for n, text in enumerate(HOSTILE)),
]
TREE = [node | {"log_prob": -1.0, "token_log_prob": -0.5, "score": -0.7, "state": "kept"} for node in TREE]
VIEWS = {
    "matrix": {
        "kind": "matrix",
        "rows": HOSTILE,
        "columns": HOSTILE,
        "values": [0.5] * len(HOSTILE) ** 2,
        "gold": [[0, 1]],
    },
    "tree": {"kind": "tree", "nodes": TREE, "path": [0, 1, 2]},
    "table": {"kind": "table", "columns": ["word", "p"], "rows": [[text, 0.25] for text in HOSTILE]},
}


def export(served, view, kind, title="cross <attention>"):
    sentence = "I read\n<b>a</b> book"
    return served.post("export", run=TRAINED[0], text=sentence, target="x", title=title, format=kind, view=view)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["csv", "json", "tex", "html"])
def test_each_file_carries_hash_and_sentence(served, view, kind):
    answer = export(served, VIEWS[view], kind)
    assert answer.status_code == 200, answer.text
    digest = served.session(TRAINED[0]).run.hash
    assert digest in answer.text
    assert "I read" in answer.text
    assert f'filename="jumok-{TRAINED[0]}-{digest}.{kind}"' in answer.headers["content-disposition"]


@pytest.mark.parametrize("kind", ["csv", "json", "tex", "html"])
def test_a_view_without_a_model_says_so(served, kind):
    answer = served.post("export", run=None, text="h = 0.4", title="1964", format=kind, view=VIEWS["table"])
    assert answer.status_code == 200, answer.text
    assert "no model" in answer.text
    assert "h = 0.4" in answer.text


class Tags(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.names = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


@pytest.mark.parametrize("view", VIEWS)
def test_the_page_runs_nothing_and_asks_no_other_host(served, view):
    page = export(served, VIEWS[view], "html").text
    found = Tags()
    found.feed(page)
    assert found.tags <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "dl", "dt", "dd", "p", "img", "div"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert not {name for name in found.names if name.startswith("on")}
    assert "default-src 'none'" in page
    for picture in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page):
        harmless_svg(base64.b64decode(picture))


def harmless_svg(content):
    document = minidom.parseString(content)
    assert not document.getElementsByTagName("script")
    for element in document.getElementsByTagName("*"):
        for name, value in element.attributes.items():
            assert not name.startswith("on")
            assert not (name.endswith("href") and not value.startswith(("#", "data:image/png")))


def test_pictures_are_pictures(served):
    picture = export(served, VIEWS["matrix"], "svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    harmless_svg(picture.content)
    assert b"<desc>" in picture.content
    png = export(served, VIEWS["matrix"], "png")
    assert png.content.startswith(b"\x89PNG")
    assert served.session(TRAINED[0]).run.hash.encode() in png.content
    opened = Image.open(io.BytesIO(png.content))
    opened.load()
    assert opened.text["source"] == "I read <b>a</b> book"


def test_a_spreadsheet_takes_nothing_for_a_formula(served):
    for view in VIEWS.values():
        rows = list(csv.reader(io.StringIO(export(served, view, "csv").text.lstrip("\ufeff"))))
        numbers = re.compile(r"-?[\d.e-]+")
        cells = [cell for row in rows for cell in row if cell and not numbers.fullmatch(cell)]
        assert not [cell for cell in cells if cell[0] in "=+-@\t\r"]
    assert rows[-1][0].startswith("'")


def test_latex_sees_no_command_of_the_texts(served):
    for view in VIEWS.values():
        text = export(served, view, "tex", title="a\n\\evil").text
        code = [line.partition("%% ")[0] for line in text.splitlines()]
        commands = set(re.findall(r"\\[a-zA-Z]+", "\n".join(code)))
        assert not commands & {"\\input", "\\immediate", "\\write", "\\evil"}
        assert text.count("\\end{document}") == 1


def test_latex_columns_run_with_the_script(served):
    view = {
        "kind": "matrix",
        "rows": ["x"],
        "columns": ["שלום", "לכם"],
        "values": [1.0, 0.0],
        "gold": [[0, 0]],
        "rtl": True,
    }
    text = export(served, view, "tex").text
    assert "heat!100] (1,0)" in text
    assert text.index("at (1.5,-0.1) {שלום}") < text.index("at (0.5,-0.1) {לכם}")
    assert "(1.1,0.1) rectangle" in text


def test_json_gives_the_view_back(served):
    for view in VIEWS.values():
        whole = ExportedJson.model_validate_json(export(served, view, "json").content)
        assert json.loads(json.dumps(whole.view)) | view == whole.view


def test_views_that_do_not_fit_are_refused(served):
    wrong = [
        ({"kind": "matrix", "rows": ["a"], "columns": ["b"], "values": [1, 2]}, "csv"),
        ({"kind": "matrix", "rows": ["a"], "columns": ["b"], "values": [1], "gold": [[1, 0]]}, "csv"),
        ({"kind": "matrix", "rows": ["a"], "columns": ["b"], "values": [-1]}, "svg"),
        ({"kind": "table", "columns": ["a"], "rows": [["b", "c"]]}, "csv"),
        (VIEWS["table"], "png"),
    ]
    for view, kind in wrong:
        assert export(served, view, kind).status_code == 422
