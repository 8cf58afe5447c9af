"""Word alignment learned from the bitext alone: attention trained as a probability.

from jumok.aligner import align_bitext
aligned = align_bitext([("das Haus", "the house"), …])
aligned.links            # [(source i, target j), …] of each pair
aligned.forward          # posterior attention [target, source] of each pair

Here a target word's attention over the source is not a means to a good context vector but a *latent variable*: which
source word did it come from? It is summed over exactly, by the recursion of a hidden Markov model, and its posterior is
the attention (Vogel, Ney and Tillmann 1996; Deng et al. 2018, "Latent Alignment and Variational Attention").
"""

from jumok.aligner.bitext import Bitext
from jumok.aligner.chain import log_likelihood, posteriors
from jumok.aligner.choose import consensus, expected_error, most_likely_links
from jumok.aligner.fit import EpochDone, Settings, attention_of, fit, mean_log_likelihood
from jumok.aligner.latent import LatentAlignment
from jumok.aligner.pair import AlignedBitext, align_bitext

__all__ = [
    "AlignedBitext",
    "Bitext",
    "EpochDone",
    "LatentAlignment",
    "Settings",
    "align_bitext",
    "attention_of",
    "consensus",
    "expected_error",
    "fit",
    "log_likelihood",
    "mean_log_likelihood",
    "most_likely_links",
    "posteriors",
]
