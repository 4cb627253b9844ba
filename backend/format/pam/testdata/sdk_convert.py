"""Lets the official SDK convert a ChatGPT export, and judge our conversion of it.

Arguments: a folder. It holds export.zip and ours/, a bundle that we made of it.
It gets converted/, the bundle that the SDK's command `pam convert` would make.
Standard output: one JSON document with what the SDK has to say.
"""
import hashlib
import json
import pathlib
import sys
import zipfile

from portable_ai_memory import ConversationIndexEntry, ImportMetadata, IntegrityBlock, MemoryStore, Owner, StorageReference
from portable_ai_memory import StorageType, __version__, compute_integrity_checksum, save
from portable_ai_memory.converters.openai import OpenAIConverter
from portable_ai_memory.core.io import load
from portable_ai_memory.core.validator import validate
from portable_ai_memory.models.memory_store import ConversationTemporal


def convert(folder):
    with zipfile.ZipFile(folder / "export.zip") as archive:
        text = archive.read("conversations.json")
    converter = OpenAIConverter()
    data = json.loads(text)
    assert converter.detect(data), "the SDK does not take this for a ChatGPT export"
    conversations = converter.convert_conversations(data, owner_id="owner", import_metadata=ImportMetadata(
        importer=f"pam-cli/{__version__}", source_file="conversations.json",
        source_checksum=f"sha256:{hashlib.sha256(text).hexdigest()}"))
    out, index = folder / "converted", []
    for c in conversations:
        ref = f"conversations/{c.id}.json"
        save(c, out / ref)
        index.append(ConversationIndexEntry(
            id=c.id, platform=converter.provider_name, title=c.title, message_count=len(c.messages),
            temporal=ConversationTemporal(created_at=c.temporal.created_at, updated_at=c.temporal.updated_at),
            storage=StorageReference(type=StorageType.FILE, ref=ref)))
    save(MemoryStore(
        schema_version="1.0", owner=Owner(id="owner"), memories=[], conversations_index=index,
        integrity=IntegrityBlock(checksum=compute_integrity_checksum([]), total_memories=0)), out / "memory-store.json")
    return conversations


def main(folder):
    conversations = convert(folder)
    issues, read = [], 0
    for path in sorted((folder / "ours").rglob("*.json")):
        read += 1
        issues += [f"{path.name}: {issue}" for issue in validate(load(path)).issues]
    json.dump({
        "conversations": len(conversations), "messages": sum(len(c.messages) for c in conversations),
        "read": read, "issues": issues,
    }, sys.stdout)


main(pathlib.Path(sys.argv[1]))
