# Reads {"yaml": [...], "jinja": [...], "data": {...}} and answers with what PyYAML and cloud-init's own renderer make of
# each text, in the notation of src/agent/userdata/fixtures. Runs inside a root with cloud-init.
import datetime
import json
import sys

import yaml
from cloudinit.handlers.jinja_template import convert_jinja_instance_data
from cloudinit.templater import render_string


def notation(value, depth=0):
    if depth > 60:
        raise ValueError("recursive")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"t": "int", "v": str(value)}
    if isinstance(value, float):
        return {"t": "float", "v": repr(value)}
    if isinstance(value, bytes):
        return {"t": "bytes", "v": value.hex()}
    if isinstance(value, datetime.date):
        return {"t": "time", "v": str(value)}
    if isinstance(value, list):
        return [notation(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {"t": "map", "v": [[notation(k), notation(v, depth + 1)] for k, v in value.items()]}
    return {"t": type(value).__name__}


def attempt(work, name):
    try:
        return {name: work()}
    except Exception:
        return {"refused": True}


job = json.load(sys.stdin)
variables = convert_jinja_instance_data(job["data"], include_key_aliases=True)
json.dump(
    {
        "yaml": [attempt(lambda: notation(yaml.safe_load(text)), "value") for text in job["yaml"]],
        "jinja": [
            attempt(lambda: render_string("## template: jinja\n" + text, variables), "rendered") for text in job["jinja"]
        ],
    },
    sys.stdout,
)
