"""Word alignment from attention: merging, links, Pharaoh, symmetrisation, error rate and pictures."""

from jumok.alignment.aer import (
    AlignmentCounts,
    AlignmentScore,
    count_links,
    score_alignment,
    score_alignments,
)
from jumok.alignment.alignment import (
    NO_WORD,
    Link,
    Links,
    argmax_links,
    check_bounds,
    merge_to_words,
    parse_pharaoh,
    read_pharaoh,
    threshold_links,
    to_pharaoh,
    transpose,
)
from jumok.alignment.plot import alignment_svg, draw_alignment, draw_grid
from jumok.alignment.soft import SoftAlignment, read_soft, write_soft
from jumok.alignment.symmetrize import (
    METHODS,
    grow_diag,
    grow_diag_final,
    grow_diag_final_and,
    intersection,
    symmetrize,
    union,
)
from jumok.alignment.terminal import render_terminal

__all__ = [
    "METHODS",
    "NO_WORD",
    "AlignmentCounts",
    "AlignmentScore",
    "Link",
    "Links",
    "SoftAlignment",
    "alignment_svg",
    "argmax_links",
    "check_bounds",
    "count_links",
    "draw_alignment",
    "draw_grid",
    "grow_diag",
    "grow_diag_final",
    "grow_diag_final_and",
    "intersection",
    "merge_to_words",
    "parse_pharaoh",
    "read_pharaoh",
    "read_soft",
    "render_terminal",
    "score_alignment",
    "score_alignments",
    "symmetrize",
    "threshold_links",
    "to_pharaoh",
    "transpose",
    "union",
    "write_soft",
]
