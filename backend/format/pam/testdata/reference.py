"""Checks a memory store as PAM Appendices C and D do, with the standard library.

The JSON form of RFC 8785 is written here for the values our fixtures hold:
strings, integers, and numbers whose shortest form Python and ECMAScript share.
"""
import base64
import datetime
import hashlib
import json
import re
import sys
import unicodedata


def canonical(value):
    if isinstance(value, dict):
        keys = sorted(value, key=lambda k: k.encode("utf-16-be"))
        return "{" + ",".join(canonical(k) + ":" + canonical(value[k]) for k in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(v) for v in value) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def normalize(text):
    return " ".join(unicodedata.normalize("NFC", text.strip().lower()).split())


def checksum(memories):
    text = canonical(sorted(memories, key=lambda m: m["id"]))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def rewritten_time(text):
    """As the reference library's models write a time they have read."""
    if not re.match(r"^\d{4}-\d{2}-\d{2}T", text):
        return text
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.isoformat().replace("+00:00", "Z")


def rewritten(value, top=True):
    """As the reference library dumps its models: no nulls, defaults present."""
    if isinstance(value, dict):
        out = {k: rewritten(v, False) for k, v in value.items() if v is not None or not top and "x" in value}
        return out
    if isinstance(value, list):
        return [rewritten(v, False) for v in value]
    return rewritten_time(value) if isinstance(value, str) else value


def with_defaults(memory):
    memory = rewritten(memory)
    memory.setdefault("status", "active")
    memory.setdefault("tags", [])
    if "access" in memory:
        for name, default in (("visibility", "private"), ("exportable", True), ("shared_with", [])):
            memory["access"].setdefault(name, default)
    return memory


document = json.load(open(sys.argv[1], encoding="utf-8"))
memories, declared = document["memories"], document["integrity"]["checksum"]
for memory in memories:
    digest = hashlib.sha256(normalize(memory["content"]).encode("utf-8")).hexdigest()
    assert memory["content_hash"] == "sha256:" + digest, memory["id"]
assert document["integrity"]["total_memories"] == len(memories)
assert checksum(memories) == declared, "as it is"
assert checksum([with_defaults(m) for m in memories]) == declared, "as the library writes it"
value = document["signature"]["value"]
assert re.fullmatch(r"[A-Za-z0-9_-]+", value), "base64url without padding"
assert len(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))) == 64
print("both agree")
