"""The normalization of PAM Appendix C, in the reference's own language.

Standard input: strings, each with its length in bytes before it (uint32, big
endian). Standard output: one SHA-256 digest a line.
"""
import hashlib
import struct
import sys
import unicodedata


def normalize(text):
    return " ".join(unicodedata.normalize("NFC", text.strip().lower()).split())


data, at, out = sys.stdin.buffer.read(), 0, []
while at < len(data):
    (size,) = struct.unpack(">I", data[at : at + 4])
    text = data[at + 4 : at + 4 + size].decode("utf-8")
    at += 4 + size
    out.append(hashlib.sha256(normalize(text).encode("utf-8")).hexdigest())
sys.stdout.write("\n".join(out) + "\n")
