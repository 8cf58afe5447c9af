"""The contract on its own: documents, answers and errors have the forms it says."""

import json
import re
from importlib import import_module
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel

from jumok.studio import payload
from jumok.studio.studio import Studio
from jumok.studio.typescript import contract, declaration, openapi, type_of
from tests.studio.conftest import KINDS, TRAINED, start

DOCUMENT = Path(__file__).parents[2] / "docs" / "studio-api.md"
BLOCKS = re.findall(r"<!-- (\w+) -->\n```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
MODELS = {
    name: model
    for room in sorted(Path(payload.__file__).parent.glob("payload*.py"))
    for name, model in vars(import_module(f"jumok.studio.{room.stem}")).items()
    if isinstance(model, type) and issubclass(model, BaseModel)
}
MESSAGES = [name for name in MODELS if name.endswith(("Request", "Answer")) and name not in ("Request", "Answer")]


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_every_documented_message_is_valid(name, block):
    MODELS[name].model_validate_json(block)


def test_every_message_is_documented():
    assert {name for name, _ in BLOCKS} == set(MESSAGES)


def requests(example):
    """A request of every route that models answer."""
    run, text = TRAINED[1], example.source
    return {
        "translate": ("TranslateAnswer", {"run": run, "text": text, "beam": 3}),
        "step": ("StepAnswer", {"run": run, "text": text}),
        "whatif": ("WhatIfAnswer", {"run": run, "text": text, "edits": [{"kind": "blank", "word": 0}]}),
        "effects": ("EffectsAnswer", {"run": run, "text": text}),
        "compare": ("CompareAnswer", {"runs": [{"run": run}, {"run": "none"}], "text": text}),
        "learn": ("LearnAnswer", {"run": run, "text": text}),
        "chances": ("ChancesAnswer", {"runs": [run], "sentences": 50}),
        "forcing": ("ForcingAnswer", {"run": run, "text": text, "target": example.target}),
        "schedule": ("ScheduleAnswer", {"schedule": "linear:1->0@100", "steps": 100}),
        "paths": ("PathsAnswer", {"run": TRAINED[0], "text": text, "target": example.target}),
        "looks": ("LooksAnswer", {"run": TRAINED[0], "text": text, "target": example.target}),
        "kernel": ("KernelAnswer", {"x": [0, 1, 2], "y": [1, 0, 1], "profile": "boxcar"}),
    }


def test_posts_answer_in_the_contracts_form(served, example):
    for path, (name, body) in requests(example).items():
        answer = served.post(path, **body)
        assert answer.status_code == 200, answer.text
        assert MODELS[name].model_validate_json(answer.content).version == 1


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs", "RunsAnswer"),
        ("runs/rnnsearch-1/metrics", "MetricsAnswer"),
        ("examples?pair=en-fr&n=3", "ExamplesAnswer"),
        ("lessons", "LessonsAnswer"),
        ("jobs", "JobsAnswer"),
    ],
)
def test_gets_answer_in_the_contracts_form(served, path, name):
    answer = served.client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    MODELS[name].model_validate_json(answer.content)


def test_runs_are_told_as_they_are(served):
    told = {run["id"]: run for run in served.client.get("/api/v1/runs").json()["runs"]}
    assert set(told) >= {*TRAINED, *KINDS}
    assert told["none"]["mechanism"] is None
    assert told["local"]["mechanism"]["scope"] == "local_p"
    assert told["rnnsearch-1"]["pair"] == "en-fr"
    for name in TRAINED:
        run = served.session(name).run
        assert told[name]["hash"] == run.hash
        assert told[name]["parameters"] == sum(p.numel() for p in run.model.state_dict().values())
        assert told[name]["tokenizer"] == run.source_tokenizer.kind


def test_errors_are_one_sentence_and_one_word(served):
    cases = [
        (served.post("translate", run="nobody", text="a"), 404, "unknown_run"),
        (served.post("translate", run=TRAINED[0], text="a", step=7), 404, "unknown_step"),
        (served.post("translate", run=TRAINED[0], text="   "), 422, "invalid"),
        (served.post("translate", run=TRAINED[0], text="a", extra=1), 422, "invalid"),
        (served.post("jobs", kind="lesson", model="nothing"), 404, "unknown_model"),
        (served.client.get("/api/v1/jobs/nothing"), 404, "unknown_job"),
        (served.client.get("/api/v1/nothing"), 404, "not_found"),
        (served.client.get("/api/v1/translate"), 405, "method"),
        (served.client.get("/api/v1/examples?pair=xx-yy"), 422, "invalid"),
    ]
    for answer, status, code in cases:
        told = payload.ErrorAnswer.model_validate_json(answer.content)
        assert (answer.status_code, told.error.code) == (status, code), answer.text
        assert len(told.error.message.split()) > 3


def test_the_server_describes_itself(served):
    described = served.client.get("/api/v1/openapi.json").json()
    documented = set(re.findall(r"(?:GET|POST) (/api/v1/[\w/{}]+)", DOCUMENT.read_text(encoding="utf-8")))
    paths = {re.sub(r"{\w+}", "{id}", path) for path in described["paths"]}
    assert paths == documented - {"/api/v1/openapi.json"}
    assert "TranslateAnswer" in json.dumps(described)


def test_the_pages_types_are_those_of_the_server():
    written = (DOCUMENT.parents[1] / "web" / "src" / "contract.ts").read_text(encoding="utf-8")
    assert written == contract(openapi()), "web/src/contract.ts is stale: run `make contract`"


def test_every_message_is_in_the_openapi_document():
    """Requests and answers alike, except the file that an export gives; nothing is left without a type."""
    schemas = openapi()["components"]["schemas"]
    assert set(MESSAGES) - set(schemas) == set()
    written = contract(openapi())
    for name, schema in schemas.items():
        assert f" {name} " in written
        for key, one in schema.get("properties", {}).items():
            assert type_of(one) != "unknown", f"{name}.{key}"
    for path, methods in openapi()["paths"].items():
        for method in methods.values():
            answer = method["responses"]["200"]["content"]
            assert "export" in path or "$ref" in answer["application/json"]["schema"], path


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        ({"$ref": "#/components/schemas/Token"}, "Token"),
        ({"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "null"}]}}, "(number | null)[]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, "string[][]"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, "[number, string]"),
        ({"const": 1}, "1"),
        ({"enum": ["a", 'b"']}, '"a" | "b\\""'),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        ({"type": "object", "propertyNames": {"enum": ["x", "y"]}, "additionalProperties": {"type": "null"}},
         'Partial<Record<"x" | "y", null>>'),
        ({}, "unknown"),
    ],
)  # fmt: skip
def test_a_schema_becomes_the_type_it_describes(schema, typed):
    assert type_of(schema) == typed


def test_a_key_with_a_default_may_be_left_out_of_a_request():
    object_ = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
    assert declaration("X", object_) == "export interface X {\n  a: string;\n  b?: null;\n}\n"


def test_without_a_built_page_the_studio_says_what_is_missing(tmp_path):
    server, thread, access = start(Studio([], tmp_path), static=tmp_path / "nothing")
    try:
        page = httpx.get(f"http://127.0.0.1:{access.port}/")
        assert page.status_code == 200
        assert "make web" in page.text
        assert httpx.get(f"http://127.0.0.1:{access.port}/api/v1/runs").status_code == 200
    finally:
        server.should_exit = True
        thread.join(10)
