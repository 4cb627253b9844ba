"""Writes content_hash.jsonl: one line a text, its normal form and its hash, as
PAM Appendix C computes them. Run it with any Python 3.11 or newer; the texts
hold only characters that Unicode 14.0 knows, so every one writes the same.
"""
import hashlib
import json
import pathlib
import random
import unicodedata

TEXTS = [
    "", " ", "a", "  Prefers   Metric UNITS \n", "Straße", "STRASSE", "İstanbul", "I\u0307", "ΣΑΣ ΟΔΟΣ. Σ", "AΣ'B AΣ'",
    "Σ", "ΣΣ", "aΣ\u00adb", "aΣ\u0301", "ʰΣ", "aΣʰ", "a\u0345Σ", "1Σ", "aΣ1", "\U0001d6a8Σ", "Σ\u200d", "ǅ ǈ ǋ ǲ", "ϴ K Å",
    "a\x1cb\x1dc\x1ed\x1fe", "\x1f x \u00a0y\u3000", "a\u0085b", "a\u200bb", "a\ufeffb", "\u180ea", "tab\tnew\nline\r\n\x0b\x0c",
    "E\u0301te\u0301", "é", "\u1112\u1161\u11ab", "한글", "\u1100\u1161\u11a7", "\u212b", "\u0344", "\u0958", "\u0f73\u0f71", "\ufb1d",
    "\U0001d15e", "\u1e0d\u0307", "d\u0307\u0323", "q\u0307\u0323", "\u0b47\u0b3e", "e" + "\u0323\u0301" * 40, "\u0301" * 70, "a" + "\u0315\u0300\u05ae" * 20 + "b",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "Trägt Größe 43", "Prefere café sem açúcar, São Paulo", "喜欢喝绿茶", "日本語　全角", "\u202eabc", "ﬁ ﬂ", "①",
]
ALPHABET = "aAeEoOΣςİıßǅK  \t\n\x1c\x1f\u00a0\u3000\u0301\u0323\u0308\u0345\u034f'.:·’\u00ad\u200d\u02b0ᄒ\u1161\u11ab한\u0344\u1e69\u0958\U0001d15e\ufb1d\U0001f600"


def normalize(text):
    return " ".join(unicodedata.normalize("NFC", text.strip().lower()).split())


def main():
    rng = random.Random(20260217)
    texts = TEXTS + ["".join(rng.choice(ALPHABET) for _ in range(rng.randrange(60))) for _ in range(400)]
    lines = []
    for text in texts:
        normal = normalize(text)
        digest = hashlib.sha256(normal.encode("utf-8")).hexdigest()
        lines.append(json.dumps({"content": text, "normalized": normal, "content_hash": "sha256:" + digest}))
    path = pathlib.Path(__file__).with_name("content_hash.jsonl")
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


main()
