"""`jumok aligner`: word alignment learned from two files alone, with no model trained before."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jumok.arguments import LARGEST_SEED
from jumok.cli.options import AsJson, Threads
from jumok.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from jumok.aligner import EpochDone


def aligner(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source side, one sentence per line (also .gz).")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target side, line by line.")],
    symmetrize: Annotated[
        str,
        typer.Option(
            help="consensus, forward, backward, intersection, union, grow-diag, grow-diag-final or grow-diag-final-and."
        ),
    ] = "consensus",
    epochs: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="Passes over the files; default: 6, more for small files."),
    ] = None,
    size: Annotated[int, typer.Option(min=1, max=65_536, help="Size of the word vectors.")] = 96,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the initial weights.")] = 1,
    gold: Annotated[Path | None, typer.Option(help="Gold links (Pharaoh): report error rate on stderr.")] = None,
    soft: Annotated[Path | None, typer.Option(help="Write the forward attention to an .npz or .json file.")] = None,
    as_json: AsJson = False,
    threads: Threads = 0,
) -> None:
    """Learn to align the words of two files from these files alone: a Pharaoh line (source-target, from 0) per pair."""
    from jumok.aligner import Settings, align_bitext
    from jumok.alignment import METHODS, SoftAlignment, read_pharaoh, score_alignments, to_pharaoh, write_soft
    from jumok.alignment.soft import require_soft_place
    from jumok.data.lines import pair_lines
    from jumok.text.normal import words_of

    known = ("consensus", "forward", "backward", *METHODS)
    if symmetrize not in known:
        near = did_you_mean(symmetrize, known)
        raise UnknownNameError(f"unknown --symmetrize {symmetrize!r}{near}; one of {', '.join(known)}.")
    if soft is not None:
        require_soft_place(soft)
    pairs = pair_lines(source, target)
    links_of_gold = read_pharaoh(gold) if gold else None
    settings = Settings(size=size, seed=seed)
    if epochs is not None:
        settings = replace(settings, epochs=epochs, least_steps=1)
    aligned = align_bitext(pairs, settings, show_epoch, threads=threads)
    links = aligned.links(symmetrize)
    for one in links:
        print(json.dumps({"alignment": [list(link) for link in one]}) if as_json else to_pharaoh(one))
    if soft is not None:
        words = [(words_of(one), words_of(other)) for one, other in pairs]
        write_soft(
            soft, (SoftAlignment(tuple(s), tuple(t), w) for (s, t), w in zip(words, aligned.forward, strict=True))
        )
    if links_of_gold is not None:
        print(score_alignments(links, links_of_gold), file=sys.stderr)


def show_epoch(direction: str, done: "EpochDone") -> None:
    """A line on stderr for each epoch."""
    print(
        f"{direction} {done.epoch}/{done.epochs}: {-done.log_likelihood:.3f} nats per word, {done.seconds:.0f} s",
        file=sys.stderr,
    )
