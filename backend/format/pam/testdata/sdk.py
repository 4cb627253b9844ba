"""Asks the official Python SDK about what we wrote, and lets it write for us.

Arguments: a folder. It holds store.json and bundle/ (ours), mutants.jsonl
(documents with our schema verdicts). It gets again.json (our store, read and
written by the SDK), theirs.json (a store that the SDK made) and rewritten.json
(one with the sum that only the SDK asks for). Standard output: one JSON document with what the SDK has to say.
"""
import base64
import importlib.resources
import json
import pathlib
import sys

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from jsonschema import Draft202012Validator
from portable_ai_memory.core.integrity import compute_content_hash, compute_integrity_checksum
from portable_ai_memory.core.io import load, load_dict, save, to_dict
from portable_ai_memory.core.validator import validate
from portable_ai_memory.models.enums import MemoryType
from portable_ai_memory.models.memory_store import IntegrityBlock, MemoryObject, MemoryStore, Owner

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def key_of(multibase):
    """The Ed25519 key of z6Mk…, read as the specification of did:key has it."""
    n = 0
    for c in multibase[1:]:
        n = n * 58 + ALPHABET.index(c)
    raw = n.to_bytes(34, "big")
    assert multibase[0] == "z" and raw[:2] == b"\xed\x01"
    return raw[2:]


def signature_holds(document):
    """Appendix D, with the key taken from the block."""
    block = document["signature"]
    payload = rfc8785.dumps({
        "checksum": document["integrity"]["checksum"],
        "export_id": document["export_id"],
        "export_date": document["export_date"],
        "owner_id": document["owner"]["id"],
    })
    value = base64.urlsafe_b64decode(block["value"] + "=" * (-len(block["value"]) % 4))
    try:
        Ed25519PublicKey.from_public_bytes(key_of(block["public_key"])).verify(value, payload)
    except InvalidSignature:
        return False
    return True


def published():
    """The published schemas, twice: as Python reads their patterns, and as JSON
    Schema means them. Patterns are ECMAScript's, whose $ is the end of the text;
    Python's $ lets one line break through."""
    schemas = importlib.resources.files("portable_ai_memory.schemas")
    as_read, as_meant = {}, {}
    for name in ("portable-ai-memory", "portable-ai-memory-conversation", "portable-ai-memory-embeddings"):
        text = (schemas / f"{name}.schema.json").read_text("utf-8")
        as_read[name] = Draft202012Validator(json.loads(text))
        as_meant[name] = Draft202012Validator(json.loads(text, object_hook=with_true_ends))
    return as_read, as_meant


def with_true_ends(node):
    if isinstance(node.get("pattern"), str) and node["pattern"].endswith("$"):
        node["pattern"] = node["pattern"][:-1] + r"\Z"
    return node


def disagreements(folder):
    """Mutants on which the published schemas have another verdict than ours, and
    how many more there would be by Python's reading of a pattern's end."""
    as_read, as_meant = published()
    count, differ, line_breaks = 0, [], 0
    with open(folder / "mutants.jsonl", encoding="utf-8") as lines:
        for line in lines:
            mutant = json.loads(line)
            count += 1
            verdict = as_meant[mutant["kind"]].is_valid(mutant["document"])
            if verdict != mutant["valid"]:
                differ.append(mutant)
            elif r"\n" in line and verdict != as_read[mutant["kind"]].is_valid(mutant["document"]):
                line_breaks += 1
    return count, differ[:10], line_breaks


def write_theirs(path):
    texts = ["Prefers trains", "Fala português", "Zalgo e" + "\u0301" * 40, "İstanbul ΑΣ", "tab\there"]
    memories = [MemoryObject.create(id=f"sdk-{i}", type=MemoryType.FACT, content=t, platform="claude", tags=["a"]) for i, t in enumerate(texts)]
    store = MemoryStore(schema_version="1.0", owner=Owner(id="them"), memories=memories, exported_by="pam-sdk/1.0.0")
    checksum = compute_integrity_checksum([m.model_dump(mode="json", by_alias=True, exclude_none=True) for m in memories])
    store.integrity = IntegrityBlock(checksum=checksum, total_memories=len(memories))
    save(store, path)


def write_rewritten(path):
    """A store as another program may write it, with the sum that the SDK's own
    validator asks for: over its models, not over the text."""
    def memory(number, **more):
        content = f"Fact {number}"
        return {"id": f"m-{number}", "type": "fact", "content": content, "content_hash": compute_content_hash(content),
                "temporal": {"created_at": "2026-01-01T00:00:00Z"}, "provenance": {"platform": "grok"}, **more}

    times = ["2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.123456789Z", "2026-01-01T03:00:00-03:00",
             "2026-01-01T00:00:00.000Z", "2026-01-01t00:00:00z", "2026-01-01T05:30:00.25+05:30"]
    memories = [memory(i, temporal={"created_at": t, "updated_at": None, "valid_from": t}) for i, t in enumerate(times)]
    memories += [
        memory(20, summary=None, confidence={"initial": 1, "current": 0.50}),
        memory(21, access={"exportable": True}, metadata={"language": None, "own": None, "deep": {"x": None}, "n": 1.0}),
        memory(22, access={"shared_with": [{"entity": "e", "permissions": ["read"]}]}, custom_type=None),
        memory(10, status="archived", tags=["a"], provenance={"platform": "grok", "extracted_at": times[1], "extractor": None}),
    ]
    document = {"schema": "portable-ai-memory", "schema_version": "1.0", "owner": {"id": "them"}, "memories": memories}
    models = load_dict(document).memories
    document["integrity"] = {"total_memories": len(memories), "checksum": compute_integrity_checksum(
        [m.model_dump(mode="json", by_alias=True, exclude_none=True) for m in models])}
    assert validate(load_dict(document)).is_valid
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def main(folder):
    issues = []
    for path in [folder / "store.json", *sorted((folder / "bundle").rglob("*.json"))]:
        issues += [f"{path.name}: {issue}" for issue in validate(load(path)).issues]
    ours = json.loads((folder / "store.json").read_text("utf-8"))
    again = to_dict(load(folder / "store.json"))
    (folder / "again.json").write_text(json.dumps(again, ensure_ascii=False, indent=2), encoding="utf-8")
    write_theirs(folder / "theirs.json")
    write_rewritten(folder / "rewritten.json")
    count, differ, line_breaks = disagreements(folder)
    json.dump({
        "issues": issues,
        "signature": signature_holds(ours),
        "checksum": compute_integrity_checksum(ours["memories"]) == ours["integrity"]["checksum"],
        "mutants": count,
        "differ": differ,
        "line_breaks": line_breaks,
    }, sys.stdout)


main(pathlib.Path(sys.argv[1]))
