"""Values of ROUGE-L and CIDEr-D as the COCO caption evaluation gives them, for the test that compares ours with them.

    pip install --no-deps pycocoevalcap && python tools/caption_references.py > tests/evaluation/coco_captions.json

The package's own tokenizer needs Java; its scorers take texts whose words are separated by white space, as here.
"""

import json
import random

from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

WORDS = (
    "a",
    "the",
    "dog",
    "cat",
    "red",
    "blue",
    "ball",
    "runs",
    "sits",
    "on",
    "under",
    "near",
    "two",
    "small",
    "with",
    "and",
)


def sentence(draw: random.Random, longest: int) -> str:
    """Some words in any order."""
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, longest)))


def changed(draw: random.Random, text: str) -> str:
    """The text with some words replaced or dropped."""
    words = [draw.choice(WORDS) if draw.random() < 0.2 else word for word in text.split() if draw.random() < 0.9]
    return " ".join(words) or "a"


def main() -> None:
    """Print captions, references and the scores of each."""
    draw = random.Random(18)
    cases = []
    for count in (37, 11, 2):
        references = [[sentence(draw, 14) for _ in range(draw.randint(1, 5))] for _ in range(count)]
        captions = [changed(draw, draw.choice(known)) for known in references]
        captions[0] = sentence(draw, 3)
        captions[-1] = references[-1][0]
        gts, res = dict(enumerate(references)), {number: [text] for number, text in enumerate(captions)}
        rouge, rouges = Rouge().compute_score(gts, res)
        cider, ciders = Cider().compute_score(gts, res)
        cases.append(
            {"captions": captions, "references": references, "rouge_l": float(rouge), "cider_d": float(cider)}
            | {"rouges": [float(one) for one in rouges], "ciders": [float(one) for one in ciders]}
        )
    print(json.dumps(cases, indent=1))


if __name__ == "__main__":
    main()
