"""Two directions of word alignment made into one.

A source-to-target and a target-to-source aligner disagree; their intersection is precise, their union
complete, and the grow heuristics lie between (Och and Ney 2003, "A Systematic Comparison of Various
Statistical Alignment Models"; Koehn et al. 2005, "Edinburgh System Description for the 2005 IWSLT Speech
Translation Evaluation").

Both arguments are links (source i, target j) — turn those of the backward model round with `transpose` first.
The grow heuristics look at links in turn and each one added changes what may come next, so the order is part
of the definition. It is that of the published pseudo-code: target words from left to right, within each the
source words from left to right, neighbours in the order of `NEIGHBOURS`, a new link counting at once. Hence
grow-diag does not depend on which model is called forward (the final steps do), and transposed input may give
another answer than the transposed output; intersection and union are free of both.
"""

from collections.abc import Callable, Iterable

from jumok.alignment.alignment import Link
from jumok.errors import UnknownNameError, did_you_mean

# (target, source) steps: the four beside a link, then the four diagonal ones.
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """The links both directions agree on: the highest precision."""
    return sorted(set(forward) & set(backward))


def union(forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """The links of either direction: the highest recall."""
    return sorted(set(forward) | set(backward))


def grow_diag(forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """The intersection, grown by links of the union beside one already there, unless both words are taken."""
    return _Growing(set(forward), set(backward)).grow().sorted()


def grow_diag_final(forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """grow-diag, then every link of forward and after it of backward with at least one word still free."""
    forward, backward = set(forward), set(backward)
    growing = _Growing(forward, backward).grow()
    return growing.final(forward, both_free=False).final(backward, both_free=False).sorted()


def grow_diag_final_and(forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """grow-diag, then every link of forward and after it of backward with both words still free."""
    forward, backward = set(forward), set(backward)
    growing = _Growing(forward, backward).grow()
    return growing.final(forward, both_free=True).final(backward, both_free=True).sorted()


METHODS: dict[str, Callable[[Iterable[Link], Iterable[Link]], list[Link]]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "grow-diag-final-and": grow_diag_final_and,
}


def symmetrize(method: str, forward: Iterable[Link], backward: Iterable[Link]) -> list[Link]:
    """The links of both directions made into one set.

    method     intersection, union, grow-diag, grow-diag-final or grow-diag-final-and
    forward    links (source, target) of one direction
    backward   those of the other, also as (source, target): see `transpose`
    """
    if method not in METHODS:
        near = did_you_mean(method, METHODS)
        raise UnknownNameError(f"unknown symmetrisation {method!r}{near}; one of {', '.join(METHODS)}")
    return METHODS[method](forward, backward)


def _in_order(links: Iterable[Link]) -> list[Link]:
    """Target words from left to right, within each the source words from left to right."""
    return sorted(links, key=lambda link: (link[1], link[0]))


class _Growing:
    """An alignment that grows inside the union, with the words that already have a link."""

    def __init__(self, forward: set[Link], backward: set[Link]) -> None:
        self.union = forward | backward
        self.links = forward & backward
        self.sources = {i for i, _ in self.links}
        self.targets = {j for _, j in self.links}

    def add(self, link: Link) -> None:
        self.links.add(link)
        self.sources.add(link[0])
        self.targets.add(link[1])

    def grow(self) -> "_Growing":
        """Sweeps over the union until nothing is added; a link added ahead of the sweep is visited too."""
        order = _in_order(self.union)
        size = -1
        while size != len(self.links):
            size = len(self.links)
            for link in order:
                if link in self.links:
                    self.grow_around(link)
        return self

    def grow_around(self, link: Link) -> None:
        for target_step, source_step in NEIGHBOURS:
            near = (link[0] + source_step, link[1] + target_step)
            free = near[0] not in self.sources or near[1] not in self.targets
            if free and near in self.union:
                self.add(near)

    def final(self, direction: set[Link], *, both_free: bool) -> "_Growing":
        for i, j in _in_order(direction):
            source_free, target_free = i not in self.sources, j not in self.targets
            if (source_free and target_free) if both_free else (source_free or target_free):
                self.add((i, j))
        return self

    def sorted(self) -> list[Link]:
        return sorted(self.links)
