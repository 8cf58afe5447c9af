"""The contract as TypeScript, made from the OpenAPI document: `python -m jumok.studio.typescript FILE` writes it.

The page's `contract.ts` is this file; `make contract` writes it again after the models in `payload*.py` have changed.
"""

import json
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jumok.studio.app import create_api
from jumok.studio.studio import Studio

Schema = Mapping[str, Any]
HEAD = """\
// The JSON contract of the studio, version 1, explained in docs/studio-api.md.
// Made from the OpenAPI document by `make contract`; change the models in src/jumok/studio/payload*.py instead.
"""
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def openapi() -> dict[str, Any]:
    """The OpenAPI document of a studio."""
    studio = Studio()
    try:
        return create_api(studio).openapi()
    finally:
        studio.close()


def contract(document: Schema) -> str:
    """A TypeScript module with a type for every schema of the document."""
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    return "\n".join([HEAD, *(declaration(name, schema) for name, schema in schemas.items())])


def declaration(name: str, schema: Schema) -> str:
    """An interface for an object with known keys, an alias for anything else."""
    about = comment(schema.get("description", ""), "")
    if "properties" not in schema:
        return f"{about}export type {name} = {type_of(schema)};\n"
    needed = schema.get("required", [])
    lines = [member(key, one, key in needed) for key, one in schema["properties"].items()]
    return f"{about}export interface {name} {{\n{''.join(lines)}}}\n"


def member(key: str, schema: Schema, needed: bool) -> str:
    """A line of an interface."""
    about = comment(schema.get("description", ""), "  ")
    return f"{about}  {key}{'' if needed else '?'}: {type_of(schema)};\n"


def comment(text: str, indent: str) -> str:
    """A documentation comment, or nothing."""
    text = re.sub(r"\s+", " ", text).strip().replace("*/", "* /")
    if not text:
        return ""
    whole = f"{indent}/** {text} */"
    if len(whole) <= 120:
        return f"{whole}\n"
    lines = textwrap.wrap(text, 116 - len(indent))
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def type_of(schema: Schema) -> str:
    """The type of a value."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(type_of(one) for one in schema[union]))
    if schema.get("type") == "array":
        return array_of(schema)
    if schema.get("type") == "object":
        return record_of(schema)
    return _PLAIN[schema["type"]] if "type" in schema else "unknown"


def array_of(schema: Schema) -> str:
    """A list, or a tuple where each place has a type of its own."""
    if "prefixItems" in schema:
        return f"[{', '.join(type_of(one) for one in schema['prefixItems'])}]"
    items = schema.get("items", {})
    union = any(key in items for key in ("anyOf", "oneOf", "enum"))
    return f"({type_of(items)})[]" if union else f"{type_of(items)}[]"


def record_of(schema: Schema) -> str:
    """A mapping; where its keys are known words, any of them may be missing."""
    values = schema.get("additionalProperties", True)
    value = type_of(values) if isinstance(values, Mapping) else "unknown"
    if "propertyNames" in schema:
        return f"Partial<Record<{type_of(schema['propertyNames'])}, {value}>>"
    return f"Record<string, {value}>"


def main() -> None:
    """Writes the module to the file that is named."""
    Path(sys.argv[1]).write_text(contract(openapi()), encoding="utf-8")


if __name__ == "__main__":
    main()
