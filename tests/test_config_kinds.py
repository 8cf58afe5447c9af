"""Sections by kind: each kind has its own keys, another kind's key is refused by name, old configs are upgraded."""

import json
from pathlib import Path

import pytest

from jumok import config as configuration
from jumok.config import DECODERS, ENCODERS, FRONTENDS, PRESETS, resolve
from jumok.errors import ConfigError

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*/config.json"))


@pytest.mark.parametrize(("side", "sections"), [("frontend", FRONTENDS), ("encoder", ENCODERS), ("decoder", DECODERS)])
def test_a_kind_has_its_own_keys_only(side, sections):
    for kind, section in sections.items():
        for other_kind, other in sections.items():
            for name in set(other.model_fields) - set(section.model_fields):
                with pytest.raises(ConfigError) as refused:
                    resolve({}, [f"model.{side}.kind={kind}", f"model.{side}.{name}=1"])
                assert f"model.{side}.{name} belongs to model.{side}.kind=" in str(refused.value)
                assert f"model.{side}.kind={other_kind}" in str(refused.value)
                assert f"model.{side}.kind is {kind}" in str(refused.value)


def test_the_heads_of_a_recurrent_decoder_are_an_option_of_its_mechanism():
    with pytest.raises(ConfigError, match=r"attention_options\.heads"):
        resolve({}, ["model.decoder.heads=2"])


def test_an_unknown_kind_is_refused_with_the_nearest_name():
    with pytest.raises(
        ConfigError, match=r"Unknown model\.encoder\.kind 'transfomer' \(did you mean 'transformer'\?\)"
    ):
        resolve({}, ["model.encoder.kind=transfomer"])


def test_a_value_out_of_range_names_the_whole_key():
    with pytest.raises(ConfigError, match=r"'model\.encoder\.layers' cannot be 0"):
        resolve({}, ["model.encoder.layers=0"])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("decoder", DECODERS)
def test_a_preset_leaves_out_what_another_kind_has(preset, encoder, decoder):
    found = resolve({"model.preset": preset}, [f"model.encoder.kind={encoder}", f"model.decoder.kind={decoder}"]).model
    assert (found.encoder.kind, found.decoder.kind) == (encoder, decoder)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_config_survives_its_own_json(preset):
    config = resolve({"model.preset": preset})
    assert configuration.validate(json.loads(config.model_dump_json())) == config


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_an_old_config_loses_the_keys_of_other_kinds_and_nothing_else(path):
    old = json.loads(path.read_text(encoding="utf-8"))
    assert old["format"] == 1
    config = configuration.validate(configuration.load(path))
    for side in ("encoder", "decoder"):
        new = getattr(config.model, side).model_dump(mode="json")
        assert {key: value for key, value in old["model"][side].items() if key in new}.items() <= new.items()


def test_an_old_recurrent_decoder_keeps_its_heads():
    side = {"kind": "rnn", "attention": "transformer", "heads": 2, "ff": 7, "attention_options": {}}
    tree = configuration.upgraded({"format": 1, "model": {"decoder": side}})
    assert tree["model"]["decoder"] == {"kind": "rnn", "attention": "transformer", "attention_options": {"heads": 2}}


def test_every_key_is_listed_once_with_the_kinds_that_have_it():
    keys = configuration.keys(configuration.TranslationConfig)
    assert keys["model.encoder.cell"][1].endswith("(rnn)")
    assert keys["model.decoder.ff"][1].endswith("(transformer)")
    assert not keys["model.encoder.size"][1].endswith(")")
    schema = configuration.TranslationConfig.model_json_schema()
    kinds = [
        each["properties"]["kind"]["default"]
        for each in schema["$defs"]["ModelConfig"]["properties"]["encoder"]["oneOf"]
    ]
    assert kinds == list(ENCODERS)
