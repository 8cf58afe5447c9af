"""`jumok align` and `jumok score`: what a trained model makes of given pairs of sentences."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from jumok.cli.opening import load_translator
from jumok.cli.options import AsJson, Device, Plugins, RunFolder, Threads
from jumok.cli.telling import tell
from jumok.cli.translate import json_line
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.alignment import Links
    from jumok.decoding.alignment_choice import AlignmentChoice
    from jumok.decoding.translation import PairAlignment
    from jumok.decoding.translator import Translator


def align(
    run: RunFolder,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source side, one sentence per line.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target side, line by line.")],
    method: Annotated[str, typer.Option(help="argmax (one link per target word) or threshold.")] = "argmax",
    threshold: Annotated[float, typer.Option(help="With --method threshold: the least weight of a link.")] = 0.2,
    reverse: Annotated[Path | None, typer.Option(metavar="RUN2", help="A run of the other direction.")] = None,
    symmetrize: Annotated[
        str, typer.Option(help="With --reverse: intersection, union, grow-diag, grow-diag-final(-and).")
    ] = "grow-diag-final-and",
    shift: Annotated[
        bool | None,
        typer.Option(
            "--shift/--no-shift", help="Use the attention of the step after, whose input is the word (Transformers)."
        ),
    ] = None,
    layer: Annotated[
        int | None, typer.Option(min=-1000, max=1000, help="Decoder layer, from 0; -1 is the top.")
    ] = None,
    heads: Annotated[str | None, typer.Option(help="Heads of the layer, such as 0,2; or all.")] = None,
    soft: Annotated[Path | None, typer.Option(help="Write the matrices over words to an .npz or .json file.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Gold links (Pharaoh): report error rate on stderr.")] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search", help="Find the layer and heads that align best on these files and store them in the run."
        ),
    ] = False,
    as_json: AsJson = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Align the words of given pairs: one Pharaoh line (source-target, from 0) per pair."""
    from jumok.alignment import METHODS, score_alignments, to_pharaoh, write_soft
    from jumok.alignment.soft import SoftAlignment, require_soft_place
    from jumok.data.lines import pair_lines

    if method not in ("argmax", "threshold"):
        raise InputError(f"--method is argmax or threshold, not '{method}'.")
    if symmetrize not in METHODS:
        raise InputError(f"--symmetrize is one of {', '.join(METHODS)}, not '{symmetrize}'.")
    if soft is not None:
        require_soft_place(soft)
    pairs = pair_lines(source, target)
    links_of_gold = gold_links(gold, pairs) if gold else None
    translator = load_translator(run, device, threads, plugin)
    backward = load_translator(reverse, device, 0, plugin) if reverse else None
    if backward is not None:
        check_reverse(translator, backward, pairs)
    choice = search_heads(translator, pairs, links_of_gold, backward) if search else translator.choice
    choice = chosen(choice, layer, heads, shift)
    least = threshold if method == "threshold" else None
    found = translator.align(pairs, choice=choice, threshold=least)
    links = [pair.links for pair in found]
    if backward is not None:
        links = both_directions(symmetrize, found, backward.align([(t, s) for s, t in pairs], threshold=least))
    for number, (pair, chosen_links) in enumerate(zip(found, links, strict=True), start=1):
        if pair.cut:
            tell(f"warning: line {number} is longer than the model can read; its end is not aligned.")
        print(json.dumps({"alignment": [list(link) for link in chosen_links]}) if as_json else to_pharaoh(chosen_links))
    if soft is not None:
        write_soft(soft, (SoftAlignment(p.source_words, p.target_words, cast("Any", p.weights)) for p in found))
    if links_of_gold is not None:
        print(score_alignments(links, links_of_gold), file=sys.stderr)


def check_reverse(forward: "Translator", backward: "Translator", pairs: list[tuple[str, str]]) -> None:
    """Refuses a reverse run of other languages, where the runs know theirs; warns where it does not know the words."""
    from jumok.run.folder import for_text
    from jumok.shapes import UNK
    from jumok.tasks.translation.card import languages

    mine, theirs = (languages(for_text(one.run.config, one.run.path)) for one in (forward, backward))
    if any(_differ(one, other) for one, other in zip(mine, reversed(theirs), strict=True)):
        raise InputError(
            f"--reverse needs a run from {mine[1]} to {mine[0]}, but {backward.run.path} translates from {theirs[0]} "
            f"to {theirs[1]}."
        )
    tokenizer = backward.run.source_tokenizer
    ids = [token for _, target in pairs[:1000] for token in tokenizer.encode(target)]
    if ids and ids.count(UNK) > len(ids) / 2:
        print(
            f"warning: {backward.run.path} does not know most words of the target side; --reverse needs a run that "
            "reads this language.",
            file=sys.stderr,
        )


def _differ(one: str, other: str) -> bool:
    """Whether two codes are of different languages; `en` and `en-GB` are not, and `?` tells nothing."""
    one, other = one.lower(), other.lower()
    return "?" not in (one, other) and not (one.startswith(other) or other.startswith(one))


def gold_links(path: Path, pairs: list[tuple[str, str]]) -> "list[Links]":
    """The gold links of the pairs, which must be of these very sentences."""
    from jumok.alignment import check_bounds, read_pharaoh

    found = read_pharaoh(path)
    if len(found) != len(pairs):
        raise InputError(f"{path} has links for {len(found)} pairs, but there are {len(pairs)}; they must match.")
    for number, (links, (source, target)) in enumerate(zip(found, pairs, strict=True), start=1):
        check_bounds(links, len(source.split()), len(target.split()), where=f"{path}, line {number}")
    return found


def chosen(choice: "AlignmentChoice", layer: int | None, heads: str | None, shift: bool | None) -> "AlignmentChoice":
    """A choice with what the user set instead."""
    from dataclasses import replace

    if layer is not None:
        choice = replace(choice, layer=layer)
    if heads is not None:
        choice = replace(choice, heads=parse_heads(heads))
    return choice if shift is None else replace(choice, shift=shift)


def parse_heads(text: str) -> tuple[int, ...] | None:
    """Head numbers of `0,2`, None for `all`."""
    try:
        return None if text == "all" else tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--heads takes numbers such as 0,2 or all, not '{text}'.") from None


def both_directions(
    method: str, forward: "list[PairAlignment]", backward: "list[PairAlignment]"
) -> list[list[tuple[int, int]]]:
    """The links of both directions made into one set a pair."""
    from jumok.alignment import symmetrize, transpose

    return [symmetrize(method, f.links, transpose(b.links)) for f, b in zip(forward, backward, strict=True)]


def search_heads(
    translator: "Translator", pairs: list[tuple[str, str]], gold: Any, reverse: "Translator | None"
) -> "AlignmentChoice":
    """The layer and heads that align best; they are stored in the run, and what was found is printed."""
    from jumok.decoding.alignment_choice import write_choice
    from jumok.inspect.alignment_search import search

    tried, judged_by = search(translator, pairs, gold=gold, reverse=reverse)
    for one in tried[:5]:
        print(f"{one.choice}: error {one.error:.3f} by {judged_by}", file=sys.stderr)
    write_choice(translator.run.path, tried[0].choice, judged_by)
    return tried[0].choice


def score(
    run: RunFolder,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source side, one sentence per line.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Translations to score, line by line.")],
    as_json: AsJson = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Score given translations: log-probability and perplexity per line, and of the whole on stderr."""
    import math

    from jumok.data.lines import pair_lines

    pairs = pair_lines(source, target)
    found = load_translator(run, device, threads, plugin).score(pairs)
    for number, one in enumerate(found, start=1):
        if one.cut:
            tell(f"warning: line {number} is longer than the model can read; its end is not scored.")
        if as_json:
            tree = {
                "log_prob": one.log_prob,
                "perplexity": one.perplexity,
                "tokens": list(one.tokens),
                "token_log_probs": list(one.token_log_probs),
            }
            print(json_line(tree))
        else:
            print(f"{one.log_prob:.4f}\t{one.perplexity:.4f}")
    tokens = sum(len(one.token_log_probs) for one in found)
    if tokens:
        total = sum(one.log_prob for one in found)
        print(
            f"{len(found)} pairs, {tokens} tokens: log-probability {total:.2f}, perplexity "
            f"{math.exp(min(700.0, -total / tokens)):.3f}",
            file=sys.stderr,
        )
