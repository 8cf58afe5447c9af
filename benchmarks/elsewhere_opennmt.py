"""OpenNMT-py's own translator behind a pipe; runs in its environment, without Jumok.

python elsewhere_opennmt.py                     # answers JSON lines: {"lines": […]} with their translations
python elsewhere_opennmt.py FOLDER CHECKPOINT   # puts weights.npz into the checkpoint that FOLDER has
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

SPECIAL = {"<blank>": "<pad>"}


def fill(folder: Path, checkpoint: Path) -> None:
    """The checkpoint with our weights instead of its own; every weight must have its place."""
    import numpy as np

    frame = torch.load(next(folder.glob("model_step_*.pt")), map_location="cpu")
    arrays = dict(np.load(folder / "weights.npz"))
    names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
    rows = {}
    for side in ("src", "tgt"):
        place = {name: number for number, name in enumerate(names[side])}
        rows[side] = [place[SPECIAL.get(word, word)] for word in frame["vocab"][side]]
    table = "embeddings.make_embedding.emb_luts.0.weight"
    new = {name: torch.tensor(one) for name, one in arrays.items() if not name.startswith("words.")}
    new[f"encoder.{table}"] = torch.tensor(arrays["words.src"][rows["src"]])
    new[f"decoder.{table}"] = torch.tensor(arrays["words.tgt"][rows["tgt"]])
    for name, old in frame["model"].items():
        if name.endswith(".pe"):
            continue
        assert new[name].shape == old.shape, (name, new[name].shape, old.shape)
        frame["model"][name] = new.pop(name)
    assert not new, sorted(new)
    frame["generator"] = {"weight": torch.tensor(arrays["words.tgt"][rows["tgt"]])}
    frame["generator"]["bias"] = torch.tensor(arrays["words.bias"][rows["tgt"]])
    frame["optim"] = None
    torch.save(frame, checkpoint)


def engine_of(told: dict[str, Any], batch: int) -> Any:
    """OpenNMT-py's inference engine for lists of lines."""
    from onmt.inference_engine import InferenceEnginePY
    from onmt.opts import translate_opts
    from onmt.utils.parse import ArgumentParser

    parser = ArgumentParser()
    translate_opts(parser)
    asked = ["-model", told["checkpoint"], "-src", "none", "-beam_size", str(told["beam"])]
    asked += ["-batch_size", str(batch), "-max_length", str(told["longest"]), "-log_file", "", "-output", os.devnull]
    options = parser.parse_args(asked)
    ArgumentParser.validate_translate_opts(options)
    ArgumentParser._get_all_transform_translate(options)
    ArgumentParser._validate_transforms_opts(options)
    return InferenceEnginePY(options)


def main() -> None:
    """Answers until there is nothing more to answer; what OpenNMT-py prints goes to stderr."""
    answers, sys.stdout = sys.stdout, sys.stderr
    told = json.loads(sys.stdin.readline())
    engines = {batch: engine_of(told, batch) for batch in (1, 64)}
    print(json.dumps(True), file=answers, flush=True)
    for line in sys.stdin:
        lines = json.loads(line)["lines"]
        _, found = engines[1 if len(lines) == 1 else 64].infer_list(lines)
        print(json.dumps([one[0] for one in found]), file=answers, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        fill(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()
