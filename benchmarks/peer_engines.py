"""Whatever translates lines in `peer_translation.py`: our engines, CTranslate2, OpenNMT-py and MarianMT.

All get lines and give lines, with the tokenizers of the run. What lives in an environment of its own (OpenNMT-py,
MarianMT) is a process that answers one JSON line with another; see `elsewhere_*.py`.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer_environments import PEERS, Environment

HERE = Path(__file__).resolve().parent
LONGEST = 120  # words an output may have in every system: ours stops there by itself
BATCHES = (16, 32, 64, 128)
Translate = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class System:
    """Something that translates lines; `workers` is 2 for batches, 1 for a sentence at a time."""

    name: str
    model: str
    make: Callable[[int, int], Translate]
    """From beam and workers."""
    has_quality: bool = True
    """False where the weights mean nothing, so that only the time counts."""


# ------------------------------------------------------------ ours


def ours(run: Path, precision: str, shortlist: bool) -> System:
    """Our engine for recurrent models."""

    def make(beam: int, workers: int) -> Translate:
        from jumok.tasks.translation.model import load

        return lines_of(load(run, engine="fast", precision=precision, shortlist=shortlist, workers=workers), beam)

    words = " + shortlist" if shortlist else ""
    return System(f"jumok fast {precision}{words}", run.name, make)


def plain(run: Path) -> System:
    """The readable decoder over torch."""

    def make(beam: int, workers: int) -> Translate:
        import torch

        from jumok.tasks.translation.model import load

        torch.set_num_threads(workers)
        return lines_of(load(run), beam)

    return System("jumok torch", run.name, make)


def through_ours(run: Path, precision: str) -> System:
    """CTranslate2 as our `--engine ctranslate2` uses it."""

    def make(beam: int, workers: int) -> Translate:
        from jumok.engine.ctranslate2_export import export
        from jumok.run.names import EXPORTED
        from jumok.tasks.translation.model import load

        export(run, run / EXPORTED, quantization=precision)
        return lines_of(load(run, engine="ctranslate2", precision=precision, workers=workers), beam)

    return System(f"jumok ctranslate2 {precision}", run.name, make)


def lines_of(translator: Any, beam: int) -> Translate:
    """A translator of ours as a function of lines."""
    from jumok.decoding.options import Options

    options = Options(beam=beam, alignment=False)
    return lambda lines: [one.text for one in translator.translate(list(lines), options=options)]


# ------------------------------------------------------------ CTranslate2


def ctranslate2(run: Path, place: Path, precision: str, shortlist: bool) -> System:
    """CTranslate2 as its own documentation uses it, with the batch size that suits it best here."""

    def make(beam: int, workers: int) -> Translate:
        import ctranslate2 as library

        engine = library.Translator(str(place), inter_threads=workers, intra_threads=1, compute_type=precision)
        return Tuned(engine, run, beam, shortlist, workers)

    words = " + vmap" if shortlist else ""
    return System(f"CTranslate2 {precision}{words}", run.name, make)


class Tuned:
    """Tries CTranslate2's batch sizes on the first large set of lines, text cut by one thread or by all, and keeps the
    quickest."""

    def __init__(self, engine: Any, run: Path, beam: int, shortlist: bool, workers: int) -> None:
        from jumok.engine.ctranslate2_export import names_of
        from jumok.engine.weights import load_parts

        parts = load_parts(run)
        self.engine, self.beam, self.shortlist, self.workers = engine, beam, shortlist, workers
        self.source, self.target = parts.source_tokenizer, parts.target_tokenizer
        self.names, written = names_of(self.source), names_of(self.target)
        self.ids = {name: token for token, name in enumerate(written)}
        self.copies = parts.config.text.kind == "words"
        self.pool = ThreadPoolExecutor(workers)
        self.choice: tuple[int, bool] | None = None

    def __call__(self, lines: Sequence[str]) -> list[str]:
        if self.choice is None and len(lines) > max(BATCHES):
            self.choice = min(((batch, apart) for batch in BATCHES for apart in (False, True)), key=self.timed(lines))
        batch, apart = self.choice or (BATCHES[1], False)
        return self.translate(lines, batch, apart)

    def timed(self, lines: Sequence[str]) -> Callable[[tuple[int, bool]], float]:
        """How long the lines take with a choice."""

        def seconds(choice: tuple[int, bool]) -> float:
            start = time.perf_counter()
            self.translate(lines, *choice)
            return time.perf_counter() - start

        return seconds

    def translate(self, lines: Sequence[str], batch: int, apart: bool) -> list[str]:
        """The lines at once, or each worker's share by itself."""
        if not apart or self.workers < 2:
            return self.share(lines, batch)
        shares = [lines[first :: self.workers] for first in range(self.workers)]
        found = list(self.pool.map(lambda share: self.share(share, batch), shares))
        return [found[n % self.workers][n // self.workers] for n in range(len(lines))]

    def share(self, lines: Sequence[str], batch: int) -> list[str]:
        """Tokens in, tokens out, batches sorted by CTranslate2."""
        tokens = [[self.names[token] for token in self.source.encode(line)] for line in lines]
        found = self.engine.translate_batch(
            tokens, beam_size=self.beam, max_batch_size=batch, use_vmap=self.shortlist, max_decoding_length=LONGEST,
            replace_unknowns=self.copies,
        )  # fmt: skip
        return [self.text(one.hypotheses[0]) for one in found]

    def text(self, tokens: Sequence[str]) -> str:
        """Tokens as text; with words, one that was copied from the source stands as it is."""
        if self.copies:
            return " ".join(tokens)
        return self.target.decode([self.ids[token] for token in tokens])


# ------------------------------------------------------------ in another environment


class Elsewhere:
    """A process that is told once what to do and then answers each JSON line with another."""

    def __init__(self, python: Path, program: str, told: dict[str, Any], threads: int) -> None:
        threaded = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        out = PEERS / "translation"
        out.mkdir(parents=True, exist_ok=True)
        self.said = (out / f"{Path(program).stem}.log").open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(python), str(HERE / program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
            text=True, env=os.environ | threaded,
        )  # fmt: skip
        self.ask(told)

    def ask(self, question: dict[str, Any]) -> Any:
        """The answer to a question."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise ValueError(f"it ended with code {self.process.wait()}; {self.said.name} has its words")
        return json.loads(answer)

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.said.close()


def close(translate: Translate) -> None:
    """Ends what a system holds, if it holds anything."""
    getattr(translate, "close", lambda: None)()


class OpenNMT:
    """Our pre-norm Transformer's weights in OpenNMT-py's own translator."""

    def __init__(self, peer: Environment, run: Path, checkpoint: Path, beam: int, threads: int) -> None:
        from jumok.engine.ctranslate2_export import names_of
        from jumok.engine.weights import load_parts

        assert peer.python is not None
        parts = load_parts(run)
        self.source, self.target = parts.source_tokenizer, parts.target_tokenizer
        self.names = names_of(self.source)
        self.ids = {name: token for token, name in enumerate(names_of(self.target))}
        told = {"checkpoint": str(checkpoint), "beam": beam, "longest": LONGEST}
        self.process = Elsewhere(peer.python, "elsewhere_opennmt.py", told, threads)

    def __call__(self, lines: Sequence[str]) -> list[str]:
        # Ours ends a source by EOS, OpenNMT-py only if it is told to.
        pieces = [" ".join([*(self.names[token] for token in self.source.encode(line)), "</s>"]) for line in lines]
        found = self.process.ask({"lines": pieces})
        return [self.target.decode([self.ids[word] for word in one.split() if word in self.ids]) for one in found]

    def close(self) -> None:
        """Ends the process."""
        self.process.close()


def opennmt(peer: Environment, run: Path) -> System:
    """OpenNMT-py with our weights."""
    checkpoint = PEERS / "translation" / f"{run.name}-opennmt.pt"

    def make(beam: int, workers: int) -> Translate:
        if not checkpoint.is_file() or checkpoint.stat().st_mtime < (run / "model.safetensors").stat().st_mtime:
            from peer_weights import write_opennmt

            write_opennmt(peer, run, checkpoint)
        return OpenNMT(peer, run, checkpoint, beam, workers)

    return System("OpenNMT-py", run.name, make)


class Marian:
    """MarianMT of a run's size: with its weights if they are post-norm, as MarianMT's are; otherwise with random ones
    that write as many words as the run would."""

    def __init__(self, peer: Environment, run: Path, beam: int, threads: int) -> None:
        import jumok
        from peer_weights import marian_weights, post_norm

        assert peer.python is not None
        self.translator = jumok.load(run)
        self.lengths: dict[str, int] | None = None if post_norm(self.translator.run.config) else {}
        side = self.translator.run.config.model.decoder
        words = max(self.translator.run.source_tokenizer.size, self.translator.run.target_tokenizer.size)
        sizes = {"words": words, "size": side.size, "layers": side.layers, "heads": side.heads, "ff": side.ff}
        told: dict[str, Any] = {"sizes": sizes, "beam": beam, "threads": threads, "longest": LONGEST}
        if self.lengths is None:
            told["weights"] = str(marian_weights(run, PEERS / "translation" / f"{run.name}-marian.safetensors"))
        self.process = Elsewhere(peer.python, "elsewhere_marian.py", told, threads)

    def __call__(self, lines: Sequence[str]) -> list[str]:
        run = self.translator.run
        asked: dict[str, Any] = {"sources": [run.source_tokenizer.encode(line) for line in lines]}
        if self.lengths is not None:
            asked["lengths"] = self.lengths_of(lines)
        found = self.process.ask(asked)
        return [run.target_tokenizer.decode(ids) for ids in found] if self.lengths is None else [""] * len(lines)

    def lengths_of(self, lines: Sequence[str]) -> list[int]:
        """How many words the run writes, found out once a line."""
        from jumok.decoding.options import Options

        assert self.lengths is not None
        new = [line for line in dict.fromkeys(lines) if line not in self.lengths]
        if new:
            found = self.translator.translate(new, options=Options(beam=1, alignment=False))
            self.lengths |= {line: len(one.ids) + 1 for line, one in zip(new, found, strict=True)}
        return [self.lengths[line] for line in lines]

    def close(self) -> None:
        """Ends the process."""
        self.process.close()


def marian(peer: Environment, run: Path) -> System:
    """MarianMT of Hugging Face's transformers."""
    from jumok.engine.weights import load_parts
    from peer_weights import post_norm

    real = post_norm(load_parts(run).config)
    name = "MarianMT" if real else "MarianMT, random weights"
    return System(name, run.name, lambda beam, workers: Marian(peer, run, beam, workers), has_quality=real)


def whole_command(peer: Environment, run: Path, lines: Sequence[str], beam: int) -> float:
    """Sentences a second of `onmt_translate` from its start to its end, as a user runs it."""
    from jumok.engine.ctranslate2_export import names_of
    from jumok.engine.weights import load_parts

    assert peer.python is not None
    parts, out = load_parts(run), PEERS / "translation"
    names = names_of(parts.source_tokenizer)
    source = out / "source.txt"
    pieces = [" ".join([*(names[token] for token in parts.source_tokenizer.encode(line)), "</s>"]) for line in lines]
    source.write_text("\n".join(pieces) + "\n", encoding="utf-8")
    command = [
        str(peer.python.with_name("onmt_translate")), "-model", str(out / f"{run.name}-opennmt.pt"), "-src",
        str(source), "-output", str(out / "output.txt"), "-beam_size", str(beam), "-batch_size", "64",
    ]  # fmt: skip
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "2"})
    if done.returncode:
        raise ValueError(done.stderr.strip()[-400:])
    return len(lines) / (time.perf_counter() - start)


def jumok(*arguments: str) -> None:
    """A command of ours that must go well; what it says goes to stderr."""
    done = subprocess.run([sys.executable, "-m", "jumok", *arguments], stdout=sys.stderr)
    if done.returncode:
        raise ValueError(f"`jumok {' '.join(arguments[:2])} …` ended with code {done.returncode}")
