"""Keys and glossaries of a server, without the server."""

import time
from pathlib import Path

import pytest

from jumok.decoding.options import Options
from jumok.decoding.words import Phrase
from jumok.errors import ConfigError, InputError
from jumok.server.glossary import LONGEST_TERM, Glossary, read_glossary
from jumok.server.keys import SENTENCES, Key, Keyring, new_key, read_keys
from jumok.server.pace import Pace, kind_of
from jumok.server.problems import RefusedError


def spendable(ring: Keyring, key: Key) -> int:
    """How many requests a key has now."""
    for count in range(1000):
        try:
            ring.spend(key)
        except RefusedError:
            return count
    raise AssertionError("the key is never refused")


def test_a_long_request_counts_for_several():
    key = Key("a", "0" * 64, 10)
    ring = Keyring([key])
    ring.spend(key)
    ring.charge(key, SENTENCES)
    assert spendable(ring, key) == 9
    ring = Keyring([key])
    ring.spend(key)
    ring.charge(key, 5 * SENTENCES + 1)
    assert spendable(ring, key) == 4
    ring.charge(key, 100 * SENTENCES)
    with pytest.raises(RefusedError) as refused:
        ring.spend(key)
    assert int(refused.value.headers["Retry-After"]) > 500  # some hundred requests ahead at ten a minute


def test_a_new_key_has_a_line_of_its_own_that_only_the_owner_reads(tmp_path):
    path = tmp_path / "keys.txt"
    path.write_text(f"\ufefffirst {'0' * 64}", encoding="utf-8")  # no line break at its end
    key = new_key(path, "second")
    assert [one.name for one in read_keys(path, 1)] == ["first", "second"]
    assert path.stat().st_mode & 0o777 == 0o600
    found = Keyring(read_keys(path, 1)).find(key)
    assert found is not None
    assert found.name == "second"
    for name in ("second", "#", "", "a b"):
        with pytest.raises(ConfigError):
            new_key(path, name)
    with pytest.raises(ConfigError, match="no folder"):
        new_key(tmp_path / "none" / "keys.txt", "a")


def test_terms_are_found_as_words_and_those_of_the_request_come_first():
    standing = Glossary({"cat": "chat", "dog": "chien"})
    glossary = Glossary({"Dog": "toutou", "선생님*": "prof"}, under=standing)
    assert glossary.found("A cat, a dog and a DOG.") == {Phrase.parse("cat"): "chat", Phrase.parse("dog"): "toutou"}
    assert list(glossary.found("선생님께서 concatenates dogs").values()) == ["prof"]
    assert Glossary({}).found("cat") == {}


def test_of_terms_inside_each_other_the_longest_counts():
    glossary = Glossary({"card": "Karte", "credit card": "Kreditkarte", "my credit": "mein Kredit"})
    assert set(glossary.found("a credit card").values()) == {"Kreditkarte"}
    assert set(glossary.found("a card, a credit card").values()) == {"Karte", "Kreditkarte"}
    assert set(glossary.found("my credit card").values()) == {"mein Kredit", "Kreditkarte"}
    own = Glossary({"card": "Ausweis"}, under=Glossary({"card*": "Karte", "credit card": "Kreditkarte"}))
    assert list(own.found("the card").values()) == ["Ausweis"]
    assert list(own.found("the credit card").values()) == ["Kreditkarte"]
    assert list(own.found("the cards").values()) == ["Karte"]
    with pytest.raises(InputError, match="empty"):
        Glossary({"*": "x"})


@pytest.mark.parametrize("rate", ["x", "²", "٣", "9" * 5000, "-1"])
def test_a_rate_is_a_whole_number(tmp_path: Path, rate: str):
    path = tmp_path / "keys.txt"
    path.write_text(f"a {'0' * 64} {rate}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        read_keys(path, 1)


def test_a_glossary_file_is_read_or_its_line_is_named(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text("\ufeffcat\tchat\n\n dog \t chien \n", encoding="utf-8")
    assert read_glossary(path).terms == {"cat": "chat", "dog": "chien"}
    wrong = {"cat": "a tab", "a\tb\n" + "x" * (LONGEST_TERM + 1) + "\ty": "line 2", "*\tx": "line 1"}
    for text, told in wrong.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=told):
            read_glossary(path)


def test_what_was_slow_once_is_forgotten():
    pace = Pace(half_life=0.05)
    kind = kind_of("run", Options())
    assert pace.expected(kind, 1000) == 0
    pace.note(kind, 100, 1.0)
    assert 5 < pace.expected(kind, 1000) <= 10
    time.sleep(0.3)
    assert pace.expected(kind, 1000) < 0.2
    assert kind_of("run", Options(beam=1)) != kind


def test_a_folder_is_no_key_file_and_is_named_once(tmp_path):
    with pytest.raises(ConfigError) as found:
        read_keys(tmp_path, SENTENCES)
    assert str(found.value) == f"The key file {tmp_path} cannot be read: Is a directory."
