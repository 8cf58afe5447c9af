"""French forms against tables written by hand, and the joints between words."""

import pytest

from jumok.data.phrasebook import french
from jumok.data.phrasebook.french import agree, conjugate, joints, participle, plural
from jumok.data.phrasebook.lexicon import ADJECTIVES, VERBS
from tests.data.forms import forms_of

# infinitive → présent (je … ils), then il in the imparfait and futur, then the participle
TABLE = forms_of("french_verbs")


@pytest.mark.parametrize(("infinitive", "forms"), TABLE.items())
def test_conjugation(infinitive: str, forms: str) -> None:
    said = [conjugate(infinitive, person, "present") for person in range(6)]
    said += [conjugate(infinitive, 2, "imparfait"), conjugate(infinitive, 2, "future"), participle(infinitive)]
    assert said == forms.split()


def test_persons_of_imparfait_and_futur() -> None:
    assert [conjugate("manger", p, "imparfait") for p in range(6)] == (
        ["mangeais", "mangeais", "mangeait", "mangions", "mangiez", "mangeaient"]
    )
    assert [conjugate("aller", p, "future") for p in range(6)] == ["irai", "iras", "ira", "irons", "irez", "iront"]


def test_imperative() -> None:
    assert conjugate("fermer", 1, "imperative") == "ferme"
    assert conjugate("fermer", 4, "imperative") == "fermez"
    assert conjugate("ouvrir", 1, "imperative") == "ouvre"
    assert conjugate("lire", 1, "imperative") == "lis"


def test_every_verb_of_the_lexicon_is_of_the_first_group_or_in_the_table() -> None:
    from jumok.data.phrasebook.french_words import CONJUGATION

    assert all(verb.french.endswith("er") or verb.french in CONJUGATION for verb in VERBS.values())


@pytest.mark.parametrize(
    ("masculine", "forms"),
    [
        ("grand", "grand grande grands grandes"),
        ("rouge", "rouge rouge rouges rouges"),
        ("beau", "beau belle beaux belles"),
        ("vieux", "vieux vieille vieux vieilles"),
        ("blanc", "blanc blanche blancs blanches"),
        ("heureux", "heureux heureuse heureux heureuses"),
        ("gentil", "gentil gentille gentils gentilles"),
        ("fatigué", "fatigué fatiguée fatigués fatiguées"),
    ],
)
def test_adjectives_agree(masculine: str, forms: str) -> None:
    said = [agree(masculine, feminine, many) for many in (False, True) for feminine in (False, True)]
    assert said == forms.split()


@pytest.mark.parametrize("key", sorted(ADJECTIVES))
def test_every_feminine_ends_in_e_and_every_plural_in_s_or_x(key: str) -> None:
    adjective = ADJECTIVES[key].french
    assert agree(adjective, True, False).endswith("e")
    assert agree(adjective, True, True) == agree(adjective, True, False) + "s"
    assert agree(adjective, False, True)[-1] in "sx"


def test_plurals() -> None:
    words = "livre gâteau cheval journal fils œuf bureau riz"
    assert [plural(word) for word in words.split()] == [
        "livres",
        "gâteaux",
        "chevaux",
        "journaux",
        "fils",
        "œufs",
        "bureaux",
        "riz",
    ]


def test_participles_agree() -> None:
    assert [participle("aller", f, p) for f in (False, True) for p in (False, True)] == [
        "allé",
        "allés",
        "allée",
        "allées",
    ]
    assert participle("apprendre", plural=True) == "appris"
    assert participle("écrire", feminine=True) == "écrite"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("le ami", "l'ami"),
        ("la école", "l'école"),
        ("le livre", "le livre"),
        ("je aime", "j'aime"),
        ("je ne aime pas", "je n'aime pas"),
        ("de le pain", "du pain"),
        ("de la soupe", "de la soupe"),
        ("de la eau", "de l'eau"),
        ("à le marché", "au marché"),
        ("à les enfants", "aux enfants"),
        ("de les enfants", "des enfants"),
        ("à le hôpital", "à l'hôpital"),
        ("parce que il pleut", "parce qu'il pleut"),
        ("parce que elle dort", "parce qu'elle dort"),
        ("si il pleut", "s'il pleut"),
        ("si elle dort", "si elle dort"),
        ("ce homme", "cet homme"),
        ("ma école", "mon école"),
        ("beau+ arbre", "bel arbre"),
        ("beau+ livre", "beau livre"),
        ("vieux+ ordinateur", "vieil ordinateur"),
        ("est beau aujourd'hui", "est beau aujourd'hui"),
        ("il ne y a pas de eau", "il n'y a pas d'eau"),
        ("se être reposée", "s'être reposée"),
        ("à côté de le lit", "à côté du lit"),
    ],
)
def test_joints(given: str, written: str) -> None:
    assert " ".join(word for word, _ in joints([(word, ()) for word in given.split()])) == written


def test_a_joined_word_keeps_the_links_of_both() -> None:
    assert joints([("à", (1,)), ("le", (2,)), ("marché", (3,))]) == [("au", (1, 2)), ("marché", (3,))]
    assert joints([("de", (1,)), ("le", (2,)), ("ami", (3,))]) == [("de", (1,)), ("l'ami", (2, 3))]


def test_reflexive_pronouns() -> None:
    assert [french.reflexive(person) for person in range(6)] == ["me", "te", "se", "nous", "vous", "se"]
