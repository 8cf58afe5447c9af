"""Laws of symmetrisation, and agreement with the pseudo-code of the paper written out as nested loops."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jumok import alignment
from jumok.errors import UnknownNameError

# A busy machine must not fail a law.
calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SIZE = 7
links = st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=25)


@calm
@given(links, links)
def test_inclusions(forward, backward):
    low, high = set(alignment.intersection(forward, backward)), set(alignment.union(forward, backward))
    grown = set(alignment.grow_diag(forward, backward))
    assert low <= grown <= set(alignment.grow_diag_final(forward, backward)) <= high
    assert grown <= set(alignment.grow_diag_final_and(forward, backward)) <= high


@calm
@given(links, links)
def test_final_covers_every_word_of_the_union(forward, backward):
    final, both = alignment.grow_diag_final(forward, backward), alignment.union(forward, backward)
    for side in (0, 1):
        assert {link[side] for link in final} == {link[side] for link in both}


@calm
@given(links)
def test_agreement_is_kept(same):
    assert all(method(same, same) == sorted(same) for method in alignment.METHODS.values())


@calm
@given(links, links)
def test_intersection_union_and_grow_diag_ignore_which_model_is_forward(forward, backward):
    for method in (alignment.intersection, alignment.union, alignment.grow_diag):
        assert method(forward, backward) == method(backward, forward)


@calm
@given(links, links)
def test_intersection_and_union_commute_with_transposition(forward, backward):
    for method in (alignment.intersection, alignment.union):
        turned = method(alignment.transpose(forward), alignment.transpose(backward))
        assert turned == alignment.transpose(method(forward, backward))


@calm
@given(links, links)
def test_growing_commutes_with_transposition_when_no_two_candidates_compete(forward, backward):
    """The order matters only where links share a word: here a word has one link beyond the intersection."""
    base, extra = forward & backward, sorted(forward ^ backward)
    sources, targets, kept = {i for i, _ in base}, {j for _, j in base}, set()
    for i, j in extra:
        if i not in sources and j not in targets:
            kept.add((i, j))
            sources.add(i)
            targets.add(j)
    for method in alignment.METHODS.values():
        straight = method(base | kept, base)
        assert alignment.transpose(straight) == method(alignment.transpose(base | kept), alignment.transpose(base))


def test_growing_depends_on_the_order_where_candidates_compete():
    """(1, 0) and (1, 2) compete for source word 1, the target word of (1, 2) being taken: the first visited
    can shut the other out, and transposing changes which is first. Growing does not commute with it."""
    forward, backward = {(0, 2), (1, 2), (2, 1)}, {(0, 2), (1, 0), (2, 1)}
    assert alignment.grow_diag(forward, backward) == [(0, 2), (1, 0), (2, 1)]
    turned = alignment.grow_diag(alignment.transpose(forward), alignment.transpose(backward))
    assert alignment.transpose(turned) == [(0, 2), (1, 0), (1, 2), (2, 1)]


def published(forward, backward, final):
    """Koehn et al. 2005 written out: e is a target word, f a source word, a link is (f, e)."""
    both, alignment = forward | backward, forward & backward
    steps = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]

    def free_source(f):
        return all(link[0] != f for link in alignment)

    def free_target(e):
        return all(link[1] != e for link in alignment)

    added = True
    while added:
        added = False
        for e in range(SIZE):
            for f in range(SIZE):
                if (f, e) not in alignment:
                    continue
                for de, df in steps:
                    near = (f + df, e + de)
                    if (free_target(near[1]) or free_source(near[0])) and near in both and near not in alignment:
                        alignment.add(near)
                        added = True
    for direction in (forward, backward) if final else ():
        for e in range(SIZE):
            for f in range(SIZE):
                if final(free_source(f), free_target(e)) and (f, e) in direction:
                    alignment.add((f, e))
    return sorted(alignment)


@calm
@given(links, links)
@example({(0, 0), (1, 1)}, {(0, 0), (0, 1), (1, 0)})
def test_agrees_with_the_published_loops(forward, backward):
    assert alignment.grow_diag(forward, backward) == published(forward, backward, None)
    assert alignment.grow_diag_final(forward, backward) == published(forward, backward, lambda f, e: f or e)
    assert alignment.grow_diag_final_and(forward, backward) == published(forward, backward, lambda f, e: f and e)


def test_a_worked_case():
    """(1, 1) is beside the agreed (0, 0) and grows in; (4, 4) is far, so a final step takes it; the target
    word of (5, 0) is taken, so only the final step without `and` takes it."""
    forward, backward = {(0, 0), (1, 1)}, {(0, 0), (4, 4), (5, 0)}
    assert alignment.grow_diag(forward, backward) == [(0, 0), (1, 1)]
    assert alignment.grow_diag_final_and(forward, backward) == [(0, 0), (1, 1), (4, 4)]
    assert alignment.grow_diag_final(forward, backward) == [(0, 0), (1, 1), (4, 4), (5, 0)]


def test_names():
    assert alignment.symmetrize("union", {(0, 0)}, {(1, 1)}) == [(0, 0), (1, 1)]
    with pytest.raises(UnknownNameError, match="did you mean 'grow-diag'"):
        alignment.symmetrize("grow_diag", set(), set())
