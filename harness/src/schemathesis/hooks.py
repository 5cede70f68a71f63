"""Request values that the documents cannot express.

OpenAPI describes each value separately. The rules below join several values, or a value and what the service holds, so that
Schemathesis cannot know them from the documents. Only values that were made to fit the documents are replaced: whatever is
wrong on purpose is sent as it is.
"""

import itertools
import json
import os

import schemathesis
from schemathesis.core.parameters import ParameterLocation

FACTS = json.loads(os.environ["SCHEMATHESIS_FACTS"])
REQUESTS = itertools.count(1)


def fits(case, location):
    """Whether the values in a part of the request were made to fit the documents."""
    return case.meta is not None and not case.meta.is_negative_at(location)


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(REQUESTS)
    if fits(case, ParameterLocation.HEADER):
        # Wrong credentials and sign-ins are limited for each client, so each request has its own client.
        case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        # A reused key is rejected, and the shortest valid one is the same each time.
        if "idempotency-key" in case.headers:
            case.headers["idempotency-key"] = f"schemathesis-{number}"
        # The version depends on earlier changes.
        if "if-match" in case.headers:
            case.headers["if-match"] = "*"
    if fits(case, ParameterLocation.QUERY):
        state_facts(case.query, FACTS["query"].get(case.operation.label, {}))
        order_times(case.query)
        # A search needs a word.
        if not any(sign.isascii() and sign.isalnum() for sign in str(case.query.get("q", "word"))):
            case.query["q"] = "word"
        # A search shows the newest first.
        if case.query.get("order") == "oldest" and not {"q", "from", "to"}.isdisjoint(case.query):
            del case.query["order"]
    if isinstance(case.body, dict) and fits(case, ParameterLocation.BODY):
        # A body may have a separate JSON Schema, which the document only names.
        whole = FACTS.get("bodies", {}).get(case.operation.label)
        if whole is not None:
            case.body = dict(whole)
            # An added resource needs a unique name.
            if case.method == "POST" and "name" in whole:
                case.body["name"] += f"-{number}"
        for name in FACTS["body"].keys() & case.body.keys():
            case.body[name] = FACTS["body"][name]
        order_times(case.body)


def state_facts(query, facts):
    """A cursor belongs to a list with the same filters, and a webhook to the same workspace."""
    cursor = {"cursor", "after"} & facts.keys() & query.keys()
    if cursor:
        for name in query.keys() - facts.keys() - {"limit"}:
            del query[name]
        query.update(facts)
        return
    others = {name: value for name, value in facts.items() if name not in ("cursor", "after")}
    if not others.keys().isdisjoint(query):
        query.update(others)


def order_times(values):
    """A span of time ends after it begins."""
    for first, last in (("from", "to"), ("since", "until")):
        if first in values and last in values:
            values[last] = "2099-12-31T23:59:59Z"
