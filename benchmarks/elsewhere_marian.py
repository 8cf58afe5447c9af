"""Hugging Face's MarianMT behind a pipe; runs in an environment with `transformers`, without Jumok.

Told a model's sizes and, where there are such, its weights. Answers {"sources": ids, "lengths": …} with ids. Without
weights they are random: the time of a step does not depend on them, and every output is made exactly as long as asked,
so that the number of steps is that of the trained model it stands for.
"""

import json
import sys
from typing import Any

import torch
from transformers import MarianConfig, MarianMTModel  # pyright: ignore[reportMissingImports]

BATCH = 64
PAD, UNK, BOS, EOS = range(4)


def build(told: dict[str, Any]) -> Any:
    """A MarianMT of these sizes, with these weights."""
    sizes = told["sizes"]
    config = MarianConfig(
        vocab_size=sizes["words"], d_model=sizes["size"], encoder_layers=sizes["layers"],
        decoder_layers=sizes["layers"], encoder_attention_heads=sizes["heads"], decoder_attention_heads=sizes["heads"],
        encoder_ffn_dim=sizes["ff"], decoder_ffn_dim=sizes["ff"], pad_token_id=PAD, eos_token_id=EOS,
        decoder_start_token_id=BOS, forced_eos_token_id=None, max_position_embeddings=512, scale_embedding=True,
        activation_function="relu",
    )  # fmt: skip
    torch.manual_seed(1)
    model: Any = MarianMTModel(config).eval()
    if "weights" in told:
        from safetensors.torch import load_file

        missing, unknown = model.load_state_dict(load_file(told["weights"]), strict=False)
        tied = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
        assert not unknown, unknown
        assert {*missing} <= {*tied}, missing
        model.tie_weights()
    return model


def translate(model: Any, sources: list[list[int]], lengths: list[int] | None, told: dict[str, Any]) -> list[list[int]]:
    """Decodes a batch; with lengths, all outputs are as long as the longest asked for."""
    longest = max(map(len, sources)) + 1
    ids = torch.tensor([[*source, EOS] + [PAD] * (longest - len(source) - 1) for source in sources])
    steps = {"max_new_tokens": told["longest"]}
    if lengths is not None:
        steps = {"min_new_tokens": max(lengths), "max_new_tokens": max(lengths)}
    with torch.inference_mode():
        found = model.generate(
            input_ids=ids, attention_mask=(ids != PAD).long(), num_beams=told["beam"], do_sample=False,
            bad_words_ids=[[PAD], [BOS], [UNK]], **steps,
        )  # fmt: skip
    return [[word for word in row if word > EOS] for row in found.tolist()]


def main() -> None:
    """Answers until there is nothing more to answer."""
    told = json.loads(sys.stdin.readline())
    torch.set_num_threads(told["threads"])
    model = build(told)
    print(json.dumps(True), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        sources, lengths = asked["sources"], asked.get("lengths")
        found: list[list[int]] = [[]] * len(sources)
        order = sorted(range(len(sources)), key=lambda n: len(sources[n]))
        for first in range(0, len(order), BATCH):
            part = order[first : first + BATCH]
            of_part = None if lengths is None else [lengths[n] for n in part]
            for n, ids in zip(part, translate(model, [sources[n] for n in part], of_part, told), strict=True):
                found[n] = ids
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
