# Puts values of every kind into every place of cloud-init's schema, one at a time, and answers with each text and what
# cloud-init's own validation says of it: "ok", or what is wrong. Runs inside a root with cloud-init.
import datetime
import json
import logging
import os
import sys

import yaml
from cloudinit.config import schema

logging.disable(logging.CRITICAL)
KIND = sys.argv[1]
with open(os.path.join(os.path.dirname(schema.__file__), f"schemas/schema-{KIND}.json")) as file:
    SCHEMA = json.load(file)
PARTS = SCHEMA["$defs"]
# cloud-init makes the validator anew for each document, which takes longer than to ask it.
make_validator, Formats = schema.get_jsonschema_validator()
VALIDATOR = make_validator(SCHEMA, format_checker=Formats())
schema.get_jsonschema_validator = lambda: (lambda *_, **__: VALIDATOR, Formats)
VALUES = [
    None, True, 0, 7, -3, 1.5, "", "x", "yes", datetime.date(2030, 1, 1), [], ["x"], [1], [None], ["x", "x"], [["x"]], [{}], {},
    {"x": "y"}, {"x": None}, {"$ x": 1}, "x\n",
]
# What stands beside the value must be right, or that would be told in its place.
RIGHT = {
    "device": "/dev/sdb", "filesystem": "ext4", "url": "http://h/", "uri": "http://h/a", "baseurl": "http://h/",
    "path": "/etc/a", "confpath": "/etc/a", "permissions": "0644", "name": "a",
    "address": "10.0.0.5/24", "destination": "10.1.0.0/16", "network": "10.1.0.0/16", "gateway": "10.0.0.1", "to": "10.1.0.0/16",
}
ALWAYS = ("name", "device", "filesystem", "destination", "gateway")


def resolved(part):
    while "$ref" in part:
        part = {**{k: v for k, v in part.items() if k != "$ref"}, **PARTS[part["$ref"].split("/")[-1]]}
    return part


def least(part):
    part = resolved(part)
    for key in ("oneOf", "anyOf"):
        if key in part and "type" not in part:
            return least(next(one for one in part[key] if not resolved(one).get("deprecated")))
    if "enum" in part:
        return part["enum"][0]
    kinds = part.get("type", "string")
    kind = next(one for one in ([kinds] if isinstance(kinds, str) else kinds) if one != "null")
    if kind == "object":
        names = part.get("required") or list(part.get("properties", {}))[: part.get("minProperties", 0)]
        made = {name: RIGHT.get(name) or least(part["properties"][name]) for name in names if name in part.get("properties", {})}
        return made or {"k": least(one) for one in list(part.get("patternProperties", {}).values())[:1]}
    if kind == "array":
        return [least(part.get("items", {"type": "string"}))] * max(1, part.get("minItems", 1))
    return {"boolean": True, "integer": part.get("minimum", 1), "number": 1}.get(kind, "a")


def places(part, put, depth=0):
    yield put
    if depth > 4:
        return
    part = resolved(part)
    for one in [part, *(resolved(other) for key in ("oneOf", "anyOf", "allOf") for other in part.get(key, []))]:
        properties = one.get("properties", {})
        for name, inner in properties.items():
            beside = least({**one, "oneOf": [], "anyOf": []}) if one.get("type") == "object" else {}
            beside = {**{k: RIGHT[k] for k in ALWAYS if k in properties}, **(beside if isinstance(beside, dict) else {})}
            if name == "network":
                beside.pop("destination", None)
            yield from places(inner, lambda value, name=name, beside=beside: put({**beside, name: value}), depth + 1)
        others = one.get("additionalProperties")
        for inner in [*one.get("patternProperties", {}).values(), *([others] if isinstance(others, dict) else [])]:
            yield from places(inner, lambda value: put({"k": value}), depth + 1)
        if isinstance(one.get("items"), dict):
            yield from places(one["items"], lambda value: put([value]), depth + 1)


def verdict(config):
    try:
        schema.validate_cloudconfig_schema(config, SCHEMA, strict=True, log_deprecations=False)
    except schema.SchemaValidationError as error:
        # An old spelling is none.
        return str(error) if "schema errors" in str(error) else "ok"
    return "ok"


def modules():
    """Each key of a document, with its part of the schema."""
    if KIND.startswith("network"):
        version = int(KIND[-1])
        inner = PARTS[f"network_config_version{version}"]["properties"]
        for name, part in inner.items():
            beside = {"version": version, **({"config": []} if version == 1 else {})}
            yield part, lambda value, name=name, beside=beside: {**beside, name: value}
        yield {"type": "string"}, lambda value: {"network": {"version": version, **({"config": []} if version == 1 else {})}, "more": value}
        return
    for name, part in PARTS.items():
        if name.startswith("cc_") or name == "base_config":
            for key, inner in part["properties"].items():
                yield inner, lambda value, key=key: {key: value}


answers = {}
for inner, put in modules():
    for place in places(inner, put, -3 if KIND.startswith("network") else 0):
        for value in VALUES:
            text = ("" if KIND.startswith("network") else "#cloud-config\n") + yaml.safe_dump(place(value), default_flow_style=True, width=10**6)
            if text not in answers:
                answers[text] = verdict(yaml.safe_load(text))
json.dump(answers, sys.stdout)
