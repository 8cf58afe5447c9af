"""How fast Hugging Face's MarianMT decodes a Transformer of a given size. Runs in an environment with `transformers`.

Reads JSON from stdin: sizes, sources as ids, how many tokens each output has, beam, threads. The weights are random:
the time of a step does not depend on them, and every output is made exactly as long as asked, so that the number of
steps is that of the trained models it stands beside. Prints sentences per second in batches and the latency of single
ones.
"""

import json
import statistics
import sys
import time
from typing import Any

import torch
from transformers import MarianConfig, MarianMTModel  # pyright: ignore[reportMissingImports]

BATCH = 64


def build(sizes: dict[str, int]) -> Any:
    """A MarianMT of these sizes."""
    config = MarianConfig(
        vocab_size=sizes["words"], d_model=sizes["size"], encoder_layers=sizes["layers"],
        decoder_layers=sizes["layers"], encoder_attention_heads=sizes["heads"], decoder_attention_heads=sizes["heads"],
        encoder_ffn_dim=sizes["ff"], decoder_ffn_dim=sizes["ff"], pad_token_id=0, eos_token_id=3,
        decoder_start_token_id=2, forced_eos_token_id=None, max_position_embeddings=512,
    )  # fmt: skip
    return MarianMTModel(config).eval()


def translate(model: Any, sources: list[list[int]], lengths: list[int], beam: int) -> None:
    """Decodes a batch; all outputs are as long as the longest asked for."""
    longest = max(map(len, sources)) + 1
    ids = torch.tensor([[*source, 3] + [0] * (longest - len(source) - 1) for source in sources])
    steps = max(lengths)
    with torch.inference_mode():
        model.generate(
            input_ids=ids, attention_mask=(ids != 0).long(), num_beams=beam, do_sample=False, min_new_tokens=steps,
            max_new_tokens=steps,
        )  # fmt: skip


def main() -> None:
    asked = json.load(sys.stdin)
    torch.manual_seed(1)
    model = build(asked["sizes"])
    pairs = sorted(zip(asked["sources"], asked["lengths"], strict=True), key=lambda pair: len(pair[0]))
    torch.set_num_threads(asked["threads"])
    translate(model, [pair[0] for pair in pairs[:BATCH]], [pair[1] for pair in pairs[:BATCH]], asked["beam"])
    start = time.perf_counter()
    for first in range(0, len(pairs), BATCH):
        part = pairs[first : first + BATCH]
        translate(model, [pair[0] for pair in part], [pair[1] for pair in part], asked["beam"])
    per_second = len(pairs) / (time.perf_counter() - start)
    torch.set_num_threads(1)
    latency = []
    for source, length in zip(asked["sources"][: asked["alone"]], asked["lengths"], strict=False):
        start = time.perf_counter()
        translate(model, [source], [length], asked["beam"])
        latency.append(1000 * (time.perf_counter() - start))
    print(json.dumps({"per_second": per_second, "latency_ms": statistics.median(latency)}))


if __name__ == "__main__":
    main()
