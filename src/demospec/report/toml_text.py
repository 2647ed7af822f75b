"""Drawn demonstrations as a problem file writes them."""

from __future__ import annotations

import json

from demospec.readable import in_json, on_one_line
from demospec.report.values import Document
from demospec.wording import listing, word_text


def demonstration_toml(document: Document) -> str:
    """Write a drawn demonstration as a problem file's table."""

    def value(part: object) -> str:  # TOML's strings and lists are JSON's
        return in_json(json.dumps(part, ensure_ascii=False))

    if "satisfied" in document:  # of several tasks
        numbers = [number for number, one in enumerate(document["satisfied"], start=1) if one]
        verdict = f"satisfies answers {listing(numbers, 100)} of {len(document['satisfied'])}"
    else:
        verdict = "accepted" if document["accepted"] else "rejected"
    word = on_one_line(word_text(document["word"]))
    begin = f"start = {value(document['start'])}\n" if "start" in document else ""
    where = "worlds.demonstrations" if "world" in document else "demonstrations"
    return (
        f"[[{where}]] # {verdict}: {word}\n"
        f"{begin}"
        f"complete = {str(document['complete']).lower()}\n"
        f"path = [{', '.join(map(value, document['path']))}]\n"
    )
