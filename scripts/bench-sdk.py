"""Lets the official Python SDK of Portable AI Memory import a ChatGPT export.

Arguments: the zip and a folder to write to. It does what the SDK's own command
does: parse, convert, save a file for each conversation. Standard output: one
JSON document with seconds and megabytes.
"""
import json
import pathlib
import resource
import sys
import time
import zipfile

from portable_ai_memory.converters.openai import OpenAIConverter
from portable_ai_memory.core.io import save


def main(export, folder):
    began = time.monotonic()
    with zipfile.ZipFile(export) as archive, archive.open("conversations.json") as entry:
        data = json.load(entry)
    conversations = OpenAIConverter().convert_conversations(data, owner_id="owner")
    for number, conversation in enumerate(conversations):
        save(conversation, pathlib.Path(folder) / f"{number}.json")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "conversations": len(conversations),
        "wall": time.monotonic() - began,
        "cpu": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1000,
    }))


main(*sys.argv[1:])
