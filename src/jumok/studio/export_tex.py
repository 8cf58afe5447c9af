"""Views as standalone LaTeX documents: a matrix and a tree as TikZ pictures, a table as a tabular."""

import re

from jumok.studio.payload import RunRef
from jumok.studio.payload_views import ExportRequest, MatrixView, TableView, TreeView

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_DOCUMENT = r"""%% {comment}
%% Compile with lualatex or xelatex, which know Hangul by name of a font.
\documentclass[border=4pt]{{standalone}}
\usepackage{{tikz}}
\usepackage{{fontspec}}
\IfFontExistsTF{{Noto Sans CJK KR}}{{\setmainfont{{Noto Sans CJK KR}}}}{{}}
\definecolor{{heat}}{{HTML}}{{08519C}}
\definecolor{{cold}}{{HTML}}{{B35806}}
\begin{{document}}
{body}
\end{{document}}
"""


def tex(request: ExportRequest, model: RunRef) -> bytes:
    """The document."""
    view = request.view
    if isinstance(view, MatrixView):
        body = _matrix(view)
    elif isinstance(view, TreeView):
        body = _tree(view)
    else:
        body = _table(view)
    told = f"{request.title}; model {model.name} {model.hash}; source: {request.text}; target: {request.target}"
    return _DOCUMENT.format(comment=_line(told), body=body).encode("utf-8")


def _line(text: str) -> str:
    """One line, so that a comment cannot end early."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


def latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_SPECIAL.get(character, character) for character in _line(text))


def _matrix(view: MatrixView) -> str:
    """Cells of 6 mm, darker where more was looked at; columns named above, rows beside, gold links outlined."""
    width = len(view.columns)
    places = range(width - 1, -1, -1) if view.rtl else range(width)
    largest = max((abs(value) for value in view.values if value is not None), default=0.0) or 1.0
    lines = [r"\begin{tikzpicture}[x=6mm, y=-6mm, every node/.style={font=\small}]"]
    for place, value in enumerate(view.values):
        j, i = divmod(place, width)
        if value:
            colour, share = "heat" if value > 0 else "cold", round(100 * abs(value) / largest)
            lines.append(rf"\fill[{colour}!{share}] ({places[i]},{j}) rectangle +(1,1); % {value:.4f}")
    lines.append(rf"\draw[gray!40] (0,0) grid ({width},{len(view.rows)});")
    for i, j in view.gold or []:
        lines.append(rf"\draw[thick] ({places[i]}.1,{j}.1) rectangle +(0.8,0.8);")
    names = zip(places, view.columns, strict=True)
    lines += [rf"\node[rotate=60, anchor=west] at ({i}.5,-0.1) {{{latex(n)}}};" for i, n in names]
    lines += [rf"\node[anchor=east] at (-0.1,{j}.5) {{{latex(n)}}};" for j, n in enumerate(view.rows)]
    return "\n".join([*lines, r"\end{tikzpicture}"])


def _tree(view: TreeView) -> str:
    """One column per step, one line per hypothesis; pruned ones grey, the winner thick."""
    path = set(view.path)
    place = {node.id: (2.4 * node.step, row) for row, node in enumerate(view.nodes)}
    lines = [r"\begin{tikzpicture}[x=10mm, y=-6mm, every node/.style={font=\small, anchor=west}]"]
    for node in view.nodes:
        x, y = place[node.id]
        style = "gray" if node.state == "pruned" else "black"
        if node.parent in place and node.parent != node.id:
            a, b = place[node.parent]
            thick = ", very thick" if node.id in path and node.parent in path else ""
            lines.append(rf"\draw[{style}{thick}] ({a + 0.1:.2f},{b}) -- ({x:.2f},{y});")
        weight = r"\bfseries " if node.id in path else ""
        lines.append(rf"\node[text={style}] at ({x:.2f},{y}) {{{weight}{latex(node.text)} \tiny {node.score:.2f}}};")
    return "\n".join([*lines, r"\end{tikzpicture}"])


def _table(view: TableView) -> str:
    """A plain tabular."""

    def cell(value: str | float | None) -> str:
        return "" if value is None else latex(value) if isinstance(value, str) else f"{value:.5g}"

    rows = [view.columns, *view.rows]
    body = "\n".join(" & ".join(cell(value) for value in row) + r" \\" for row in rows)
    return rf"\begin{{tabular}}{{{'l' * len(view.columns)}}}" + f"\n{body}\n" + r"\end{tabular}"
