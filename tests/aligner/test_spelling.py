"""Words as bags of n-grams."""

from jumok.aligner.spelling import features, fold, is_mark, ngrams


def test_folding_keeps_letters_only():
    assert fold("Ἰησοῦ") == fold("ιησου")
    assert fold("ΛΌΓΟΣ") == fold("λόγος")
    assert fold("\u0301") == "\u0301"


def test_marks():
    assert [word for word in ["a", "7", "'s", "…", ",", "“", "책"] if is_mark(word)] == ["…", ",", "“"]


def test_ngrams_see_the_ends():
    assert ngrams("ab") == ["<a", "ab", "b>", "<ab", "ab>", "<ab>"]


def test_forms_share_their_stem_and_words_have_a_feature_of_their_own():
    rows, count = features(["logos", "logou", "xyz"])
    assert len(set(rows[0]) & set(rows[1])) == 10  # all n-grams of the common beginning <logo
    assert rows[2] == [max(rows[1]) + 1]
    assert len({row[0] for row in rows}) == 3
    assert count == 1 + max(number for row in rows for number in row)


def test_unspelled_words_share_nothing():
    assert features(["logos", "logou"], spelled=False) == ([[0], [1]], 2)
