"""What a teacher would have written: training text for a student (Kim and Rush 2016, "Sequence-Level Knowledge
Distillation").

    python benchmarks/distil.py --teacher RUN... --data FOLDER --out FOLDER [--back RUN...] [--languages en de]

FOLDER holds train, val and test_2016_flickr in two languages, gzipped, as Multi30k comes. Each training source stands
in `--out` with its reference, with each teacher's best translation, and with that of the teacher's `--nbest` that is
most like the reference (by sentence BLEU: the paper's interpolation), each different target once. With `--back`, runs
of the other direction, each reference stands there also with what each of them makes of it as its source (Nguyen et
al. 2020, "Data Diversification"), each different source once. val and the test set are copied: a student is measured
on what people wrote. CTranslate2 runs Transformers where it is installed, our own engine recurrent models; what a run
wrote is kept in its folder.
"""

import argparse
import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

COPIED = ("val", "test_2016_flickr")


def lines_of(path: Path) -> list[str]:
    """The lines of a gzipped file."""
    if not path.is_file():
        raise SystemExit(f"There is no {path}.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def write_lines(path: Path, lines: list[str]) -> None:
    """Lines into a gzipped file, which has the same bytes each time."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.write("".join(line + "\n" for line in lines).encode("utf-8"))


def open_teacher(run: Path) -> Any:
    """The run's quickest translator."""
    from jumok.engine.loading import why_not_fast
    from jumok.errors import JumokError
    from jumok.tasks.translation.model import load

    if not why_not_fast(run):
        return load(run, engine="fast", workers=0)
    try:
        from jumok.engine.ctranslate2_export import export
        from jumok.run.names import EXPORTED

        export(run, run / EXPORTED, quantization="float32")
        return load(run, engine="ctranslate2", workers=0)
    except JumokError as error:
        print(f"Through torch, which is slower: {error}")
        return load(run, engine="torch")


def translations(run: Path, sources: list[str], nbest: int) -> Iterator[list[str]]:
    """A run's translations of each source, best first; made once for its weights, and kept."""
    about = hashlib.sha256((run / "model.safetensors").read_bytes())
    about.update(json.dumps([nbest, sources]).encode("utf-8"))
    kept = run / f"written-{about.hexdigest()[:12]}.json.gz"
    if not kept.is_file():
        from jumok.decoding.options import Options

        found = open_teacher(run).translate_stream(sources, Options(beam=nbest, nbest=nbest, alignment=False))
        lines = [json.dumps([one.text, *(o.text for o in one.alternatives)], ensure_ascii=False) for one in found]
        write_lines(kept, lines)
    yield from map(json.loads, lines_of(kept))


def chosen(of_teachers: Sequence[list[str]], reference: str, likeness: Any) -> list[str]:
    """The reference, each teacher's best translation and the one most like the reference; each once, none empty."""
    texts = [reference]
    for found in of_teachers:
        texts += [found[0], max(found, key=lambda text: likeness.sentence_score(text, [reference]).score)]
    return list(dict.fromkeys(text for text in texts if text.strip()))


def distil(
    teachers: Sequence[Path],
    data: Path,
    out: Path,
    *,
    source: str,
    target: str,
    nbest: int = 5,
    back: Sequence[Path] = (),
) -> dict[str, int]:
    """Writes the student's folder; how many pairs there were and are."""
    from jumok.evaluation.metrics import MetricOptions, build_metric

    sources, references = (lines_of(data / f"train.{language}.gz") for language in (source, target))
    likeness = build_metric("bleu", MetricOptions(), for_sentences=True)
    pairs: list[tuple[str, str]] = []
    written = zip(*(translations(run, sources, nbest) for run in teachers), strict=True)
    for line, reference, found in zip(sources, references, written, strict=True):
        pairs += [(line, text) for text in chosen(found, reference, likeness)]
    read = zip(*(translations(run, references, nbest) for run in back), strict=True)
    for reference, found in zip(references, read, strict=True) if back else ():
        lines = dict.fromkeys(one[0] for one in found if one[0].strip())
        pairs += [(line, reference) for line in lines]
    out.mkdir(parents=True, exist_ok=True)
    for part in COPIED:
        for language in (source, target):
            shutil.copyfile(data / f"{part}.{language}.gz", out / f"{part}.{language}.gz")
    write_lines(out / f"train.{source}.gz", [pair[0] for pair in pairs])
    write_lines(out / f"train.{target}.gz", [pair[1] for pair in pairs])
    return {"pairs": len(sources), "distilled": len(pairs)}


def main() -> None:
    """Writes the folder and says how many pairs are in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", type=Path, nargs="+", required=True, help="trained runs")
    parser.add_argument("--back", type=Path, nargs="+", default=[], help="trained runs of the other direction")
    parser.add_argument("--data", type=Path, required=True, help="the folder it was trained on")
    parser.add_argument("--out", type=Path, required=True, help="the student's folder")
    parser.add_argument("--languages", nargs=2, default=("en", "de"), metavar=("SOURCE", "TARGET"))
    parser.add_argument("--nbest", type=int, default=5, help="beam, and translations to choose from")
    options = parser.parse_args()
    if options.out.resolve() == options.data.resolve():
        parser.error("--out must be another folder than --data, whose text it would replace.")
    source, target = options.languages
    counts = distil(
        options.teacher, options.data, options.out,
        source=source, target=target, nbest=options.nbest, back=options.back,
    )  # fmt: skip
    print(f"{counts['pairs']:,} pairs became {counts['distilled']:,} in {options.out}")


if __name__ == "__main__":
    main()
