"""The phrasebook as a corpus: one translation each, splits that never meet, links that make sense, trees that close."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, permutations, repeat
from pathlib import Path
from random import Random

import pytest

from jumok.data.phrasebook import (
    Example,
    concepts,
    generate,
    generation,
    languages,
    pair_languages,
    pairs,
    say_english,
    say_french,
    say_korean,
    write,
)
from jumok.data.phrasebook.lexicon import ADJECTIVES, NOUNS, VERBS
from jumok.data.phrasebook.sampler import Sampler
from jumok.errors import DataError


@cache
def examples(pair: str, split: str = "train", size: int = 3001, seed: int = 1) -> tuple[Example, ...]:
    return tuple(generate(pair, split, size, seed))


@cache
def said() -> tuple[dict[str, str], ...]:
    """Some twenty thousand meanings, each in all languages."""
    sampler = Sampler(Random("all languages"))
    meanings = chain((sampler.sentence() for _ in range(20_011)), (sampler.sentence(3, 5) for _ in range(1_009)))
    return tuple(_all_languages(meanings))


def _all_languages(meanings: Iterator) -> Iterator[dict[str, str]]:
    for meaning in meanings:
        items = say_english.say(meaning)
        yield {
            "en": " ".join(word for word, ids in items if ids is not None),
            "ko": " ".join(word for word, _ in say_korean.say(meaning)),
            "fr": " ".join(word for word, _ in say_french.say(meaning)),
            "en-tree": " ".join(word for word, _ in items),
        }


@pytest.mark.parametrize(("source", "target"), permutations(("en", "ko", "fr", "en-tree"), 2))
def test_a_sentence_has_one_translation(source: str, target: str) -> None:
    known: dict[str, str] = {}
    for line in said():
        assert known.setdefault(line[source], line[target]) == line[target], line[source]


def test_pairs() -> None:
    assert languages() == ("en", "ko", "fr", "en-tree")
    assert len(pairs()) == 12
    assert pair_languages("en-en-tree") == pair_languages("en-tree") == ("en", "en-tree")
    assert pair_languages("en-tree-en") == ("en-tree", "en")
    assert pair_languages("en-tree-ko") == ("en-tree", "ko")
    assert pair_languages("ko-fr") == ("ko", "fr")


@pytest.mark.parametrize("pair", pairs())
def test_words_links_and_lengths(pair: str) -> None:
    source, target = pair_languages(pair)
    seen = set()
    for example in examples(pair, size=499):
        sides = example.source.split(" "), example.target.split(" ")
        for language, words in zip((source, target), sides, strict=True):
            leaves = [word for word in words if word[0] != "(" and word != ")"]
            assert 3 <= len(leaves if language == "en-tree" else words) <= 20
        assert list(example.links) == sorted(set(example.links))
        assert all(0 <= i < len(sides[0]) and 0 <= j < len(sides[1]) for i, j in example.links)
        seen.add(example.source)
    assert len(seen) == 499


@pytest.mark.parametrize("pair", ["en-ko", "ko-en", "fr-ko", "en-en-tree"])
def test_long_sentences(pair: str) -> None:
    for example in examples(pair, "long", 97):
        assert 21 <= len(example.source.split()) <= 40


def test_lengths_are_spread() -> None:
    lengths = [len(example.source.split()) for example in examples("en-ko")]
    for low, high in ((3, 5), (6, 8), (9, 11), (12, 14), (15, 20)):
        assert sum(low <= length <= high for length in lengths) > 0.05 * len(lengths)


def test_splits_never_meet_whatever_the_seed() -> None:
    train = {e.source for seed in (1, 2) for e in examples("en-ko", "train", 3001, seed)}
    dev = {e.source for seed in (1, 3) for e in examples("en-ko", "dev", 307, seed)}
    test = {e.source for seed in (1, 2) for e in examples("en-ko", "test", 307, seed)}
    assert not train & dev
    assert not train & test
    assert not dev & test
    korean = {e.target for e in examples("en-ko")}
    assert not korean & {e.target for e in examples("en-ko", "test", 307)}


def test_no_sentence_comes_twice() -> None:
    for split in ("train", "dev", "test", "long"):
        found = [e.source for e in examples("en-ko", split, 307)]
        assert len(set(found)) == 307


def test_the_seed_decides() -> None:
    first = tuple(generate("en-fr", "train", 211, seed=5))
    assert first == tuple(generate("en-fr", "train", 211, seed=5))
    assert first == tuple(islice(generate("en-fr", "train", 401, seed=5), 211))
    assert first != tuple(generate("en-fr", "train", 211, seed=6))


def test_the_split_of_a_sentence_never_changes() -> None:
    """The hash is the same on every machine and Python; another would let old test sentences into training."""
    assert generation.split_of("Minsu reads a book.") == ("train", 6795633272279744442)
    shares = [generation.split_of(line["en"])[0] for line in said()]
    assert shares.count("train") == pytest.approx(0.8 * len(shares), rel=0.03)
    assert shares.count("test") == pytest.approx(0.1 * len(shares), rel=0.1)


# Words that another language may say with an ending, a particle, or not at all.
UNLINKED_IN_KOREAN = concepts.words(
    """the a an do does did is am are was were be to of in at on by and but if because that who than it he she they I
    you we will"""
)
UNLINKED_IN_FRENCH = concepts.words("do does did to be a an the no on at in is are was were am")


def _bare(word: str) -> str:
    return word.strip(".,?")


def test_every_content_word_is_linked() -> None:
    for pair, loose in (("en-ko", UNLINKED_IN_KOREAN), ("en-fr", UNLINKED_IN_FRENCH)):
        for example in examples(pair):
            linked = {i for i, _ in example.links}
            for i, word in enumerate(example.source.split()):
                low = _bare(word)
                assert i in linked or low in loose or low[0].lower() + low[1:] in loose, (word, example)


def test_every_korean_word_is_linked_to_english() -> None:
    for example in examples("en-ko"):
        assert {j for _, j in example.links} == set(range(len(example.target.split()))), example


def test_known_words_are_linked_to_their_translations() -> None:
    nouns = {noun.english[0]: noun for noun in NOUNS.values() if noun.kind in ("food", "text", "animal", "thing")}
    found = 0
    for example in examples("en-ko"):
        source, target = example.source.split(), example.target.split()
        for i, j in example.links:
            noun = nouns.get(_bare(source[i]))
            if noun and not target[j].startswith(noun.korean):
                assert _bare(target[j])[: len(noun.counter)] == noun.counter or source[i - 1] == "light", example
            found += noun is not None
    assert found > 500


# pair → words that must be linked, as source=target
LINKED = {
    "en-ko": (
        "not=안 cannot=못 will=거예요 when=때 before=전에 after=후에 because=때문에 can=수 can=있어요 wait=기다릴 "
        "for=기다릴 little=남동생은 brother=남동생은 sang=노래를 sang=불렀어요 showed=보여 showed=줬어요 taught=가르쳐 "
        "taught=드렸습니다 by=타고 know=몰라요 not=몰라요 free=시간이 free=있어요 she=그녀는 green=초록색"
    ),
    "en-fr": ("not=ne not=pas the=du the=l'hôtel hotel=l'hôtel will=sera went=est"),
    "fr-ko": ("déjeunera=점심을 plus=더"),
}


@pytest.mark.parametrize(("pair", "link"), [(pair, link) for pair, links in LINKED.items() for link in links.split()])
def test_links_of_words_that_are_not_one_to_one(pair: str, link: str) -> None:
    assert _links_of(*link.split("="), pair) > 0


def _links_of(source: str, target: str, pair: str) -> int:
    found = 0
    for example in examples(pair):
        left, right = example.source.split(), example.target.split()
        found += any(_bare(left[i]).lower() == source and _bare(right[j]) == target for i, j in example.links)
    return found


def test_few_target_words_have_two_sources() -> None:
    """An alignment that gives each Korean word one English word can be nearly right."""
    words = sum(len(example.target.split()) for example in examples("en-ko"))
    assert words <= sum(len(example.links) for example in examples("en-ko")) <= 1.05 * words


def test_trees_close_and_hold_the_sentence() -> None:
    for example in chain(examples("en-en-tree"), examples("en-en-tree", "long", 97)):
        tokens = example.target.split()
        depth = 0
        for number, token in enumerate(tokens):
            depth += (token[0] == "(") - (token == ")")
            assert depth > 0 or number == len(tokens) - 1
            assert not (token == ")" and tokens[number - 1][0] == "(")
        assert depth == 0
        assert [token for token in tokens if token[0] != "(" and token != ")"] == example.source.split()
        assert sorted(j for _, j in example.links) == list(range(len(tokens)))


def test_tree_leaves_are_linked_to_themselves() -> None:
    for example in examples("en-en-tree"):
        words, tokens = example.source.split(), example.target.split()
        assert all(tokens[j][0] == "(" or tokens[j] == ")" or tokens[j] == words[i] for i, j in example.links)


PHENOMENA = {
    "ko": {
        "topic after a consonant": r"\w[선생국왕람진군]은 ",
        "topic": r"민수는 ",
        "subject": r"(고양이|의사|학생)[이가] ",
        "honorific subject": r"께서는 .*(세요|셨어요|실 거예요)",
        "honorific receiver": r"께 .*(드렸|드릴|드려|보낼|보내)",
        "another verb for respect": r"(주무|드)(세요|셨|십|실)",
        "polite": r"어요\.$",
        "formal": r"니다\.$",
        "formal question": r"니까\?$",
        "casual": r"[야아], .*[어아해]\.$",
        "future": r"[을ㄹ갈볼할] ?거예요",
        "ㅂ irregular": r"(도와|도왔|구워|구웠|추워|추웠)",
        "ㄷ irregular": r"(들어|들었|걸어|걸었)",
        "르 irregular": r"(불러|불렀|골라|골랐|잘라|잘랐)",
        "ㅅ irregular": r"(지어|지었|지을)",
        "ㅎ irregular": r"(빨간|파란|하얀|까만|노란)",
        "contraction": r"(왔|봤|배웠|했)어요",
        "안": r" 안 \w",
        "-지 않다": r"지 않",
        "못": r" 못 \w",
        "counter for people": r"(두|세|네|다섯|여섯) 명",
        "counter for animals": r"(두|세|네|다섯|여섯) 마리",
        "counter for books": r"(두|세|네|다섯|여섯) 권",
        "relative clause": r"(산|만든|읽은|좋아하는|사는) \w",
        "-고": r"[었았했갔]고 ",
        "-지만": r"지만 ",
        "-아서": r"(아파|바빠|피곤해|행복해)서 ",
        "-기 때문에": r"기 때문에 ",
        "때": r" 때 ",
        "-면": r"면 ",
        "-기 전에": r"기 전에 ",
        "후에": r" 후에 ",
        "와 and 과": r"\w[와과] \w+[은는] ",
        "로": r"(학교|호텔)로 ",
        "으로": r"(박물관|병원)으로 ",
        "comparison": r"보다 더 ",
        "purpose": r"러 \w+에 ",
        "progressive": r"고 있어요",
        "wish": r"고 싶",
        "duty": r"야 (해|합|하)",
        "ability": r" 수 있",
        "weather": r"(비가|눈이|날씨가) ",
        "existence": r"(위|아래|뒤|앞|옆|안)에 .*(있|없)",
        "request": r" 주세요\.",
    },
    "fr": {
        "elided article": r"\bl'",
        "j'": r"\b[Jj]'",
        "n' … pas": r"\bn'\w+ pas",
        "ne … pas": r"\bne \w+ pas",
        "qu'": r"\bqu'",
        "au": r"\bau \w",
        "du": r"\bdu \w",
        "partitive": r"\bde la \w",
        "pas de": r"\bpas (de |d')",
        "passé composé with être": r"\b(est|sont|sommes) (\w+ )?(all|ven|arriv|retourn)\w+",
        "feminine participle": r"\best (\w+ )?(allée|venue|arrivée|retournée|promenée|reposée)",
        "participle after its object": r"que? ?\w* .* a \w+ée\b",
        "reflexive": r"\b(se |s'|me |nous nous )",
        "imparfait": r"\b(était|étaient|avait)\b",
        "futur": r"\b\w+(era|iront|eront|ira)\b",
        "adjective before": r"\b(grand|petit|grande|petite|vieille|nouvelle|jeune) \w",
        "bel, vieil, nouvel": r"\b(bel|vieil|nouvel) ",
        "adjective after": r"\w (rouge|bleue?|noire?|blanche?|intéressante?)s?\b",
        "cet": r"\bcet \w",
        "-là": r"-là\b",
        "tu": r"est-ce que tu ",
        "vous": r"est-ce que vous ",
        "s'il": r"\b[Ss]'il ",
        "comparison": r"\bplus \w+ que ",
        "clitic": r"\b(m'a|me |nous )\w+",
        "infinitive after avant": r"\bavant (de |d')",
        "past infinitive": r"\baprès (avoir|être|s'être) ",
    },
    "en": {
        "an": r"\ban \w",
        "do not": r"\b(do|does|did) not ",
        "who": r" who ",
        "that": r" that \w+ (\w+ )?\w+",
        "owner": r"'s ",
        "his or her": r" (his|her) ",
        "question": r"\?$",
        "phrasal verb": r"(wait|look)(s|ed|ing)? for ",
        "there": r"[Tt]here (is|are|was|were) ",
        "two cups of": r"(cups|glasses) of ",
        "progressive": r"\b(is|are|am) \w+ing",
        "because": r" because ",
        "when": r"[Ww]hen .*, ",
        "more than": r"(er|more \w+) than ",
    },
}


@pytest.mark.parametrize(("language", "name"), [(lang, name) for lang, found in PHENOMENA.items() for name in found])
def test_phenomena_occur(language: str, name: str) -> None:
    pattern = re.compile(PHENOMENA[language][name])
    assert sum(bool(pattern.search(line[language])) for line in said()) >= 10, pattern.pattern


def test_french_has_no_open_joints() -> None:
    vowel = "[aeiouhéèêâîôûœ]"
    wrong = re.compile(rf"\b(le|la|je|ne|de|que|me|te|se) {vowel}|\b(de|à) les? |\bsi ils? |\+")
    for line in said():
        found = wrong.search(line["fr"].lower())
        assert not found, line["fr"]


def test_korean_particles_in_running_text() -> None:
    """은 이 을 과 never follow a vowel, 는 가 를 와 never a consonant, where the word is a known noun."""
    nouns = {noun.korean for noun in NOUNS.values()}
    pattern = re.compile(r"(\w+)(은|이|을|과|는|가|를|와)$")
    for line in said():
        for word in line["ko"].split():
            found = pattern.match(word)
            if found and found[1] in nouns and word not in nouns:
                closed = (ord(found[1][-1]) - 0xAC00) % 28 != 0
                assert (found[2] in "은이을과") == closed, word


def test_the_vocabulary_is_small_enough_to_be_learned() -> None:
    forms = {_bare(word).lower() for line in said() for word in line["en"].split()}
    assert 300 <= len(forms) <= 650
    assert len(NOUNS) + len(VERBS) + len(ADJECTIVES) > 200


def test_words_of_one_class_differ_in_every_language() -> None:
    plain = [noun for noun in NOUNS.values() if noun.key not in ("home",)]
    assert len({noun.korean for noun in plain}) == len(plain)
    assert len({noun.french for noun in plain}) == len(plain)
    assert len({adjective.french for adjective in ADJECTIVES.values()}) == len(ADJECTIVES)


def test_refusals() -> None:
    with pytest.raises(DataError, match=r"no pair 'en-kr' \(did you mean 'en-ko'\?\)"):
        generate("en-kr")
    with pytest.raises(DataError, match="no pair 'en-en'"):
        generate("en-en")
    with pytest.raises(DataError, match=r"no split 'tset' \(did you mean 'test'\?\)"):
        generate("en-ko", "tset")
    with pytest.raises(DataError, match="at most 500000"):
        generate("en-ko", "test", 10**9)
    with pytest.raises(DataError, match="negative"):
        generate("en-ko", "test", -1)


def test_a_spent_grammar_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "PATIENCE", 101)
    sampler = Sampler(Random(3))
    few = [sampler.sentence() for _ in range(50)]
    with pytest.raises(DataError, match="different sentences of the split 'train' were found"):
        list(generation.distinct(chain.from_iterable(repeat(few)), "en", "ko", "train"))


def test_files(tmp_path: Path) -> None:
    paths = write(tmp_path / "corpus", "en-en-tree", "dev", 23, seed=2)
    assert [path.name for path in paths] == ["dev.en", "dev.en-tree", "dev.align"]
    lines = [path.read_text(encoding="utf-8").splitlines() for path in paths]
    for example, source, target, links in zip(generate("en-en-tree", "dev", 23, seed=2), *lines, strict=True):
        assert (source, target) == (example.source, example.target)
        assert links == " ".join(f"{i}-{j}" for i, j in example.links)
    assert sorted(path.name for path in (tmp_path / "corpus").iterdir()) == ["dev.align", "dev.en", "dev.en-tree"]


def test_nothing_is_left_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "PATIENCE", 0)
    with pytest.raises(DataError):
        write(tmp_path, "en-ko", "train", 100)
    assert list(tmp_path.iterdir()) == []
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write(blocked, "en-ko", "train", 3)
