"""What a summarisation run copies: names and numbers of unseen newsbook reports, and whether its attention finds them.

    python benchmarks/summaries.py RUN [--language en] [--size 500]

Train the run with `jumok train task=summarisation --out RUN`, and one without the pointer with
`jumok train task=summarisation model.head.kind=linear --out RUN`.
"""

import argparse

from jumok.alignment import Links
from jumok.alignment.aer import score_alignments
from jumok.data.newsbook import Report, generate
from jumok.decoding.options import Options
from jumok.tasks import load
from jumok.tasks.summarisation.model import SummarisationModel


def copied_right(found: str, report: Report) -> int:
    """How many names and numbers of the headline stand where they should."""
    words, wanted = found.split(), report.headline.split()
    return sum(j < len(words) and words[j] == wanted[j] for j in report.copied)


def alignment_error(model: SummarisationModel, reports: list[Report]) -> float:
    """AER of the attention for the reference headlines, over words that come from the report."""
    aligned = model.align([(report.text, report.headline) for report in reports])
    sure = [Links(frozenset(report.links)) for report in reports]
    linked = [{j for _, j in report.links} for report in reports]
    guesses = [{(i, j) for i, j in one.links if j in words} for one, words in zip(aligned, linked, strict=True)]
    return score_alignments(guesses, sure).aer


def main() -> None:
    """Prints the measures of a run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("--language", default="en")
    parser.add_argument("--size", type=int, default=500)
    asked = parser.parse_args()
    model = load(asked.run)
    reports = list(generate(asked.language, "test", asked.size))
    found = model.summarise_all([report.text for report in reports], options=Options(beam=1, unknown="keep"))
    right = sum(copied_right(one.text, report) for one, report in zip(found, reports, strict=True))
    whole = sum(one.text == report.headline for one, report in zip(found, reports, strict=True))
    print(f"names and numbers copied right  {right / (3 * len(reports)):.1%}")
    print(f"headlines without a fault       {whole / len(reports):.1%}")
    print(f"AER of the copy attention       {alignment_error(model, reports):.3f}")


if __name__ == "__main__":
    main()
