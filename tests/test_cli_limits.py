"""Numbers at the command line and in configs: bounded and finite, every one of them."""

import inspect
from importlib import import_module
from typing import get_args, get_type_hints

import pytest
import typer

from jumok import config as configuration
from jumok.cli.app import VERBS
from jumok.errors import ConfigError
from tests.test_cli_translate import RUN, jumok


def functions():
    """Every verb's function with its name."""
    for verb, (place, _) in VERBS.items():
        module, _, name = place.partition(":")
        found = getattr(import_module(module), name)
        if isinstance(found, typer.Typer):
            yield from ((f"{verb} {one.callback.__name__}", one.callback) for one in found.registered_commands)
        else:
            yield verb, found


def options_of(kind):
    """(verb, option, what typer was told) for each option of a kind of number."""
    for verb, function in functions():
        hints = get_type_hints(inspect.unwrap(function), include_extras=True)
        for name, hint in hints.items():
            of, *about = get_args(hint) or (hint,)
            if of is kind or kind in get_args(of):
                yield verb, name, next(one for one in about if hasattr(one, "help"))


def test_every_option_that_counts_has_bounds():
    found = list(options_of(int))
    assert len(found) > 25
    for verb, name, option in found:
        assert option.min is not None, (verb, name)
        assert option.max is not None, (verb, name)


FLOATS = [(verb, name) for verb, name, _ in options_of(float)]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("verb", "name"), FLOATS)
def test_every_number_is_finite(call, verb, name, value, tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    files = {"align": [empty, empty], "serve": []}.get(verb, [empty])
    code, out, err = call(verb, RUN, *files, f"--{name.replace('_', '-')}", value)
    assert (code, out) == (2, "")
    assert err == f"error: --{name.replace('_', '-')} must be finite, not {value}.\n"


@pytest.mark.parametrize("verb", ["translate", "score"])
def test_too_many_threads_are_refused_and_many_work(verb, tmp_path):
    """100,000 threads end in a segmentation fault; the bound itself must not."""
    path = tmp_path / "in.txt"
    path.write_text("Who sleeps?\n")
    files = [path] if verb == "translate" else [path, path]
    engine = ["--engine", "torch"] if verb == "translate" else []
    _, err = jumok(verb, RUN, *files, "--threads", "100000", expect=2)
    assert "--threads" in err
    assert "Traceback" not in err
    out, _ = jumok(verb, RUN, *files, "--threads", "512", *engine)
    assert out.strip()


def numbers(section=configuration.TranslationConfig, prefix=""):
    """(key, type) of each number in the config, whole or not, lists of them included."""
    for key, (default, _) in configuration.keys(section, prefix).items():
        values = default if isinstance(default, tuple | list) else [default]
        for value in values:
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield key, default, type(value)


@pytest.mark.parametrize(("key", "default", "kind"), [*numbers(), ("train.max_minutes", None, float)])
def test_numbers_of_a_config_are_finite_and_bounded(key, default, kind):
    wrong = [".nan", ".inf", "-.inf"] if kind is float else ["99999999999999999999", "-99999999999999999999", ".inf"]
    for value in wrong:
        text = f"[{value}, {value}]" if isinstance(default, tuple) else value
        with pytest.raises(ConfigError, match=key.replace(".", r"\.")) as found:
            configuration.resolve({}, [f"{key}={text}"])
        assert len(str(found.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("override", "match"),
    [
        ("train.betas=[1.0,1.0]", "less than 1"),
        ("train.betas=[0.9,-0.1]", "greater than or equal to 0"),
        ("seed=99999999999999999999", "17592186044415"),
        ("runtime.threads=100000", "less than or equal to 512"),
        ("model.decoder.attention_options={temperature: .nan}", "nan is not finite"),
        ("model.decoder.attention_options={a: [1, {b: .inf}]}", "inf is not finite"),
        ("train.learning_rate=1e-320", "1e-320 is too close to 0"),
        ("model.encoder.layers=99999999", "less than or equal to 1000"),
        ("model.decoder.layers=99999999", "less than or equal to 1000"),
        ("seed=true", "'seed' cannot be True: input should be a number"),
        ("train.max_steps=false", "input should be a number"),
        ("train.betas=[false, 0.9]", "input should be a number"),
        ("data.corpora=[{source: a, target: b, weight: .inf}]", "finite"),
    ],
)
def test_what_a_machine_cannot_take_is_refused(override, match):
    with pytest.raises(ConfigError, match=match):
        configuration.resolve({}, [override])


def test_the_largest_seed_trains(call, tmp_path, monkeypatch):
    from tests.test_cli_train import TINY

    monkeypatch.chdir(tmp_path)
    code, _, err = call("train", "--out", "run", *TINY, "train.max_steps=1", f"seed={2**44 - 1}")
    assert code == 0, err


@pytest.mark.parametrize(
    ("override", "match"),
    [
        ("model.decoder.attention=bahdanua", "did you mean 'bahdanau'"),
        ("train.teacher_forcing=2", "needs a number from 0 to 1"),
        ("model.decoder.attention_options={D: foo}", "has no option 'D'"),
        ("model.decoder.attention_options={scope: local_m, D: foo}", "D must be a whole number, not 'foo'"),
        ("model.decoder.attention_options={temperature: warm}", "temperature must be a number, not 'warm'"),
        ("model.decoder.attention_options={attention_dim: 2.5}", "attention_dim must be a whole number, not 2.5"),
        ("model.decoder.attention_options={attention_dim: -3}", "attention_dim=-3"),
        ("model.decoder.attention_options={score: 3}", "Unknown score '3'"),
        ("model.decoder.attention_options={scope: [global]}", "Unknown scope '['global']'"),
        ("model.decoder.attention_options={dropout: 2.0}", "must be at least 0 and less than 1, got 2.0"),
        ("model.decoder.attention_options={dropout: -1.0}", "dropout of attention must be at least 0"),
        ("model.decoder.attention_options={dropout: 1.0, heads: 2}", "dropout of attention must be at least 0"),
        ("model.encoder.size=1000000000000", "The model cannot be built"),
        ("model.decoder.size=9999999999", "cannot be built with its own options"),
        ("plugins=[nowhere.py]", "There is no plugin file nowhere.py"),
        ("model.decoder.attention_options={score: location, max_length: 10}", "the model has 10"),
    ],
)
def test_config_print_refuses_what_cannot_be_trained(call, override, match):
    code, out, err = call("config", "print", override)
    assert (code, out) == (2, "")
    assert match in err
    assert len(err.strip().splitlines()) == 1


def test_config_print_is_for_other_machines_too(call):
    code, out, err = call("config", "print", "runtime.device=cuda")
    assert code == 0, err
    assert "device: cuda" in out
