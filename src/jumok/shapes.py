"""The dimension key, the mask convention and the special token ids: what every room agrees on.

A tensor's name ends in its shape where that helps: `scores_BTS` has one score for each sentence of the batch,
query position and source position. The letters:

    B  sentences in the batch           S  source positions (keys)         T  target positions (queries)
    Q  size of a query                  K  size of a key                   D  size of a value, state or model
    A  size of the space of an additive score                             H  heads
    W  width of a local window          V  vocabulary                      E  size of an embedding
    L  layers                           N  any other count

Masks are boolean with one polarity everywhere: **True = may be attended**.
"""

PAD = 0
UNK = 1
BOS = 2
EOS = 3
SPECIAL_TOKENS = ("<pad>", "<unk>", "<s>", "</s>")
