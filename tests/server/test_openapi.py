"""The whole OpenAPI document, asked by schemathesis: no 5xx, and no answer that the document does not declare."""

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = settings(
    max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_answer_is_one_that_the_document_declares(served, mode):
    _, client, address = served
    document = client.get("/v1/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    asked, seen = requests.Session(), set[str]()
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode is GenerationMode.NEGATIVE and not operation.body:
            continue

        @EXAMPLES
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case):
            case.call_and_validate(base_url=address, session=asked, checks=CHECKS)

        ask()
        seen.add(operation.path)
    assert "/v1/translate" in seen
    assert mode is GenerationMode.NEGATIVE or seen == set(document["paths"])
