"""Views as files: each names the model by its hash and carries the sentence. Token text is data in every format."""

import base64
import csv
import io
import re
import threading
from collections.abc import Callable
from html import escape

import numpy as np

from jumok.alignment import Links
from jumok.alignment.plot import alignment_figure, alignment_svg
from jumok.errors import JumokError
from jumok.figure import to_png
from jumok.studio import payload_views as payload
from jumok.studio.export_tex import tex
from jumok.studio.payload import RunRef
from jumok.studio.payload_views import ExportedJson, ExportRequest, MatrixView, TreeView
from jumok.studio.png import with_text
from jumok.studio.problems import invalid

Cell = str | float | int | None
TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "tex": "application/x-tex; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
# matplotlib's settings are global: one picture at a time.
_drawing = threading.Lock()


def export(request: ExportRequest, model: RunRef) -> tuple[bytes, str, str]:
    """The file, its media type and a name for it."""
    check(request)
    writers: dict[str, Callable[[ExportRequest, RunRef], bytes]] = {
        "svg": svg,
        "png": png,
        "csv": comma_separated,
        "json": plain_json,
        "tex": tex,
        "html": page,
    }
    content = writers[request.format](request, model)
    return content, TYPES[request.format], f"jumok-{model.id}-{model.hash}.{request.format}"


def check(request: ExportRequest) -> None:
    """Raises where the parts of a view do not fit together, or the format cannot show it."""
    view = request.view
    if isinstance(view, MatrixView):
        cells = len(view.rows) * len(view.columns)
        if len(view.values) != cells:
            raise invalid(
                f"{len(view.rows)} rows × {len(view.columns)} columns need {cells} values, got {len(view.values)}."
            )
        if any(i >= len(view.columns) or j >= len(view.rows) for i, j in view.gold or []):
            raise invalid("A gold link points outside the matrix; links are [column, row].")
    elif isinstance(view, payload.TableView):
        if any(len(row) != len(view.columns) for row in view.rows):
            raise invalid(f"Every row of a table needs {len(view.columns)} cells.")
    elif any(node.parent >= node.id for node in view.nodes):
        raise invalid("A tree lists parents before their children.")
    if request.format in ("svg", "png") and not drawable(request):
        raise invalid(f"The server draws matrices of weights; the page draws this view as {request.format} itself.")


def drawable(request: ExportRequest) -> bool:
    """Whether the server can draw the view: weights are not negative."""
    view = request.view
    return isinstance(view, MatrixView) and all(value is None or value >= 0 for value in view.values)


def heading(request: ExportRequest, model: RunRef) -> list[tuple[str, str]]:
    """What every file says of itself."""
    step = "best" if model.step is None else str(model.step)
    return [
        ("title", clean(request.title)),
        ("model", clean(model.name)),
        ("hash", model.hash),
        ("step", step),
        ("source", clean(request.text)),
        ("target", clean(request.target)),
    ]


def clean(text: str) -> str:
    """One line without control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]+", " ", text).strip()


# ---------------------------------------------------------------- pictures


def svg(request: ExportRequest, model: RunRef) -> bytes:
    """The matrix as SVG, with the heading as its description."""
    view, weights = _matrix(request)
    with _drawing:
        text = alignment_svg(weights, view.columns, view.rows, title=_title(request, model), gold=_gold(view))
    told = escape("; ".join(f"{key}: {value}" for key, value in heading(request, model)))
    return re.sub(r"(<svg\b[^>]*>)", lambda found: f"{found[1]}<desc>{told}</desc>", text, count=1).encode("utf-8")


def png(request: ExportRequest, model: RunRef) -> bytes:
    """The matrix as PNG, with the heading as text chunks."""
    view, weights = _matrix(request)
    with _drawing:
        page = alignment_figure(weights, view.columns, view.rows, _title(request, model), _gold(view), None)
        content, _ = to_png(page)
    return with_text(content, heading(request, model))


def _matrix(request: ExportRequest) -> tuple[MatrixView, np.ndarray]:
    view = request.view
    assert isinstance(view, MatrixView)
    values = [0.0 if value is None else value for value in view.values]
    return view, np.array(values, dtype=np.float64).reshape(len(view.rows), len(view.columns))


def _title(request: ExportRequest, model: RunRef) -> str:
    title = clean(request.title)
    return f"{title} · {clean(model.name)} {model.hash}" if title else f"{clean(model.name)} {model.hash}"


def _gold(view: MatrixView) -> Links | None:
    return Links(frozenset(view.gold)) if view.gold else None


# ---------------------------------------------------------------- text


def table(request: ExportRequest) -> tuple[list[str], list[list[Cell]]]:
    """Head and rows of any view."""
    view = request.view
    if isinstance(view, MatrixView):
        width = len(view.columns)
        rows: list[list[Cell]] = [[name, *view.values[n * width : (n + 1) * width]] for n, name in enumerate(view.rows)]
        return ["", *view.columns], rows
    if isinstance(view, TreeView):
        path = set(view.path)
        head = ["id", "parent", "step", "token", "text", "log_prob", "token_log_prob", "score", "state", "best path"]
        return head, [
            [n.id, n.parent, n.step, n.token, n.text, n.log_prob, n.token_log_prob, n.score, n.state, int(n.id in path)]
            for n in view.nodes
        ]
    return list(view.columns), [list(row) for row in view.rows]


def comma_separated(request: ExportRequest, model: RunRef) -> bytes:
    """CSV: the heading as `# key,value` lines, then the table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for key, value in heading(request, model):
        writer.writerow([f"# {key}", harmless(value)])
    head, rows = table(request)
    writer.writerow([harmless(name) for name in head])
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else "" if cell is None else cell for cell in row])
    return ("\ufeff" + out.getvalue()).encode("utf-8")


def harmless(text: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    text = clean(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def plain_json(request: ExportRequest, model: RunRef) -> bytes:
    """JSON: the view as it was sent, with the heading."""
    view = request.view.model_dump(mode="json")
    whole = ExportedJson(model=model, text=request.text, target=request.target, title=request.title, view=view)
    return whole.model_dump_json(indent=1).encode("utf-8")


def page(request: ExportRequest, model: RunRef) -> bytes:
    """One HTML file without scripts: the heading, the picture where there is one, and the table."""
    picture = ""
    if drawable(request):
        try:
            data = base64.b64encode(svg(request, model)).decode("ascii")
        except JumokError:  # too large to draw: the table tells it all
            data = ""
        # As an image the SVG can run nothing, whatever it holds.
        picture = (
            f'<p><img alt="{escape(_title(request, model))}" src="data:image/svg+xml;base64,{data}"></p>'
            if data
            else ""
        )
    told = "".join(f"<dt>{escape(key)}</dt><dd dir=auto>{escape(value)}</dd>" for key, value in heading(request, model))
    head, rows = table(request)
    top = "".join(f"<th scope=col dir=auto>{escape(clean(name))}</th>" for name in head)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    return _PAGE.format(title=escape(_title(request, model)), told=told, picture=picture, top=top, body=body).encode()


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"<th scope=row dir=auto>{escape(clean(cell))}</th>"
    return "<td></td>" if cell is None else f"<td>{cell:.5g}</td>"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }} dd {{ margin: 0; }}
img {{ max-width: 100%; background: #fff; }} div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }} th, td {{ border: 1px solid #8888; padding: .2rem .5rem; text-align: right; }}
</style></head><body><h1>{title}</h1><dl>{told}</dl>{picture}
<div><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></body></html>
"""
