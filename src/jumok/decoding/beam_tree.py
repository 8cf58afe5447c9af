"""The whole beam, pruned hypotheses too, as a tree for each sentence."""

from torch import Tensor

from jumok.decoding.hypothesis import BeamNode, BeamTree, NodeState
from jumok.decoding.lists import float_rows, int_rows, ints
from jumok.shapes import BOS, EOS

Places = tuple[Tensor, Tensor]


class TreeRecorder:
    """Collects the candidates of every step into one tree per sentence. It loops over them: only when asked for."""

    def __init__(self, sentences: int) -> None:
        root = BeamNode(0, -1, 0, BOS, 0.0, 0.0, 0.0, "kept")
        self._nodes: list[list[BeamNode]] = [[root] for _ in range(sentences)]
        self._node_of_row = [(sentence, 0) for sentence in range(sentences)]
        self._step = 0

    def add(
        self, table: tuple[Tensor, Tensor, Tensor, Tensor], *, finished: Places, kept: Places, rows: Places
    ) -> None:
        """Notes one step: log-prob, token, parent row and score of every candidate [B, M], and what became of it.

        `rows` are those of the kept that go on, in the order of the rows after this step.
        """
        self._step += 1
        log_probs, scores = float_rows(table[0]), float_rows(table[3])
        tokens, parents = int_rows(table[1]), int_rows(table[2])
        fate: dict[tuple[int, int], NodeState] = {}
        fate |= dict.fromkeys(_pairs(kept), "kept")
        fate |= dict.fromkeys(_pairs(finished), "finished")
        number: dict[tuple[int, int], int] = {}
        for sentence, line in enumerate(log_probs):
            for place, log_prob in enumerate(line):
                if log_prob == float("-inf"):
                    continue
                _, parent = self._node_of_row[parents[sentence][place]]
                nodes = self._nodes[sentence]
                number[sentence, place] = len(nodes)
                nodes.append(
                    BeamNode(
                        id=len(nodes),
                        parent=parent,
                        step=self._step,
                        token=tokens[sentence][place],
                        log_prob=log_prob,
                        token_log_prob=log_prob - nodes[parent].log_prob,
                        score=scores[sentence][place],
                        state=fate.get((sentence, place), "pruned"),
                    )
                )
        self._node_of_row = [(sentence, number[sentence, place]) for sentence, place in _pairs(rows)]

    def trees(self) -> list[BeamTree]:
        """The tree of each sentence."""
        return [BeamTree(tuple(nodes), _best(nodes)) for nodes in self._nodes]


def _best(nodes: list[BeamNode]) -> int:
    """The finished node with the highest score."""
    finished = [node for node in nodes if node.state == "finished" and node.token == EOS]
    return max(finished, key=lambda node: node.score).id if finished else 0


def _pairs(places: Places) -> list[tuple[int, int]]:
    return list(zip(ints(places[0]), ints(places[1]), strict=True))
