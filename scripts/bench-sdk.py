"""Lets the official Python SDK of Portable AI Memory do what Keepsake does.

Arguments: "import", the zip of a ChatGPT export and a folder to write to; or
"validate" and a memory store. It does what the SDK's own commands do, through its
public names. `pam convert`: sum and parse conversations.json, convert, save a file
for each conversation and a store with their index. (The command parses the file
twice; this does not.) `pam validate`: read the store, check it, and deeply.
Standard output: one JSON document with seconds, of which Python's start is no
part, and megabytes.
"""
import datetime
import hashlib
import json
import pathlib
import resource
import sys
import time
import zipfile

from portable_ai_memory import ConversationIndexEntry, ImportMetadata, IntegrityBlock, MemoryStore, Owner, StorageReference
from portable_ai_memory import StorageType, __version__, compute_integrity_checksum, load, save, validate
from portable_ai_memory.converters.openai import OpenAIConverter
from portable_ai_memory.models.memory_store import ConversationTemporal


def processor_time():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def convert(export, folder):
    with zipfile.ZipFile(export) as archive:
        text = archive.read("conversations.json")
    converter = OpenAIConverter()
    data = json.loads(text)
    if not converter.detect(data):
        sys.exit("the SDK does not take this for a ChatGPT export")
    conversations = converter.convert_conversations(data, owner_id="owner", import_metadata=ImportMetadata(
        importer=f"pam-cli/{__version__}", imported_at=datetime.datetime.now(tz=datetime.timezone.utc),
        source_file="conversations.json", source_checksum=f"sha256:{hashlib.sha256(text).hexdigest()}",
    ))
    index = []
    for number, c in enumerate(conversations):
        ref = f"conversations/{number}.json"
        save(c, folder / ref)
        index.append(ConversationIndexEntry(
            id=c.id, platform=converter.provider_name, title=c.title, message_count=len(c.messages),
            temporal=ConversationTemporal(created_at=c.temporal.created_at, updated_at=c.temporal.updated_at),
            storage=StorageReference(type=StorageType.FILE, ref=ref),
        ))
    save(MemoryStore(
        schema_version="1.0", owner=Owner(id="owner"), memories=[], conversations_index=index,
        integrity=IntegrityBlock(checksum=compute_integrity_checksum([]), total_memories=0),
    ), folder / "memory-store.json")
    return conversations


def check(path):
    result = validate(load(path))
    if result.errors:
        sys.exit(f"the SDK finds errors: {result.errors[:3]}")


def main(what, *paths):
    began, used = time.monotonic(), processor_time()
    said = {}
    if what == "validate":
        check(pathlib.Path(*paths))
    else:
        export, folder = paths
        conversations = convert(export, pathlib.Path(folder))
        said = {"conversations": len(conversations), "messages": sum(len(c.messages) for c in conversations)}
    kilobytes = 1024 if sys.platform == "darwin" else 1
    print(json.dumps(said | {
        "wall": time.monotonic() - began,
        "cpu": processor_time() - used,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / kilobytes * 1024 / 1e6,
    }))


main(*sys.argv[1:])
