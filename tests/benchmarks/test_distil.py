"""A student's text: what people wrote, what the teacher writes, and what it writes that is most like the people's."""

import gzip
import shutil

import pytest

from jumok.data.phrasebook import generate
from tests.benchmarks.programs import ROOT, load

distil = load("distil")
TEACHER = ROOT / "tests" / "engine" / "trained"
PARTS = (("train", "train", 30), ("val", "dev", 5), ("test_2016_flickr", "test", 5))


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for part, split, size in PARTS:
        examples = list(generate("en-ko", split, size))
        distil.write_lines(folder / f"{part}.en.gz", [one.source for one in examples])
        distil.write_lines(folder / f"{part}.ko.gz", [one.target for one in examples])
    return folder


@pytest.mark.parametrize("name", ["rnnsearch", "transformer"])
def test_each_source_has_its_reference_and_what_the_teacher_writes(name, corpus, tmp_path):
    from jumok.decoding.options import Options
    from jumok.tasks.translation.model import load as load_plain

    teacher = shutil.copytree(TEACHER / name, tmp_path / name)
    counts = distil.distil([teacher], corpus, tmp_path / "out", source="en", target="ko")
    sources, references = (lines_of(corpus / f"train.{language}.gz") for language in ("en", "ko"))
    pairs = list(zip(*(lines_of(tmp_path / "out" / f"train.{language}.gz") for language in ("en", "ko")), strict=True))
    assert counts == {"pairs": len(sources), "distilled": len(pairs)}
    assert len(set(pairs)) == len(set(zip(sources, references, strict=True)) | set(pairs)), "references are kept"
    assert {source for source, _ in pairs} == set(sources)
    best = load_plain(teacher).translate(sources, options=Options(beam=5, alignment=False))
    assert set(zip(sources, [one.text for one in best], strict=True)) <= set(pairs)
    for part in ("val", "test_2016_flickr"):
        for language in ("en", "ko"):
            assert lines_of(tmp_path / "out" / f"{part}.{language}.gz") == lines_of(corpus / f"{part}.{language}.gz")


def test_references_get_sources_from_a_run_of_the_other_direction(corpus, tmp_path):
    from jumok.tasks.translation.model import load as load_engine

    teacher, back = (shutil.copytree(TEACHER / "rnnsearch", tmp_path / name) for name in ("teacher", "back"))
    plain = distil.distil([teacher], corpus, tmp_path / "plain", source="en", target="ko")
    both = distil.distil([teacher], corpus, tmp_path / "both", source="en", target="ko", back=[back])
    references = lines_of(corpus / "train.ko.gz")
    pairs = list(zip(*(lines_of(tmp_path / "both" / f"train.{side}.gz") for side in ("en", "ko")), strict=True))
    added = pairs[plain["distilled"] :]
    assert len(added) == both["distilled"] - plain["distilled"] > 0
    written = [one.text for one in load_engine(back, engine="fast").translate(references, beam=5)]
    assert added == [(line, text) for line, text in zip(written, references, strict=True) if line.strip()]
    assert len(list(back.glob("written-*"))) == len(list(teacher.glob("written-*"))) == 1, "each wrote once"


def test_the_translation_most_like_the_reference_is_kept_beside_the_best():
    from jumok.evaluation.metrics import MetricOptions, build_metric

    likeness = build_metric("bleu", MetricOptions(), for_sentences=True)
    found = ["a dog runs over there", "a small dog runs on the grass", ""]
    reference = "a small dog runs on grass"
    assert distil.chosen([found], reference, likeness) == [reference, found[0], found[1]]
    assert distil.chosen([[reference, found[0]]], reference, likeness) == [reference]
    other = ["a dog on the grass", found[0]]
    assert distil.chosen([found, other], reference, likeness) == [reference, found[0], found[1], other[0]]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"train\.en\.gz"):
        distil.distil([TEACHER / "rnnsearch"], tmp_path, tmp_path / "out", source="en", target="ko")
    assert not (tmp_path / "out").exists()
