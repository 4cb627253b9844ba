# Draws natural.tsv.gz from clones of the repositories that README.md names:
#
#   python3 natural.py FOLDER     FOLDER/LASER, FOLDER/UD_English-EWT, …
#
# Of each language 2,750 sentences of 20 to 200 characters, from its sources in their order.
import gzip, pathlib, random, re, sys

sources = {
    "en": [("Tatoeba", 1650), ("UD_English-EWT", 1100)],
    "pt": [("Tatoeba", 1000), ("UD_Portuguese-GSD", 1000), ("UD_Portuguese-Bosque", 1000)],
    "es": [("Tatoeba", 1000), ("UD_Spanish-GSD", 1450), ("UD_Spanish-PUD", 1000)],
    "de": [("Tatoeba", 1000), ("UD_German-GSD", 1450), ("UD_German-PUD", 1000)],
    "fr": [("Tatoeba", 1000), ("UD_French-ParisStories", 1000), ("UD_French-GSD", 1000)],
}
tatoeba = {"pt": ["por-eng.por"], "es": ["spa-eng.spa"], "de": ["deu-eng.deu"], "fr": ["fra-eng.fra"],
           "en": ["deu-eng.eng", "fra-eng.eng", "spa-eng.eng", "por-eng.eng"]}
wanted, folder, random = 2750, pathlib.Path(sys.argv[1]), random.Random(40)


def lines(source, language):
    if source == "Tatoeba":
        for name in tatoeba[language]:
            yield from (folder / "LASER/data/tatoeba/v1" / f"tatoeba.{name}").read_text().splitlines()
    for file in sorted((folder / source).glob("*-ud-*.conllu")):
        yield from (line[9:] for line in file.read_text().splitlines() if line.startswith("# text = "))


def usable(text):
    return 20 <= len(text) <= 200 and re.search("[a-z]{3}", text) and not re.search("\t|http|@|\ufffd", text)


rows, seen = [], set()
for language, parts in sources.items():
    left = wanted
    for source, most in parts:
        texts = sorted({text.strip() for text in lines(source, language)} - seen)
        texts = [text for text in texts if usable(text)]
        texts = random.sample(texts, min(most, left, len(texts)))
        seen.update(texts)
        rows += [f"{language}\t{source}\t{text}\n" for text in texts]
        left -= len(texts)
    assert left == 0, f"{language}: {left} are missing"
out = pathlib.Path(__file__).with_name("natural.tsv.gz")
out.write_bytes(gzip.compress("".join(rows).encode(), 9, mtime=0))
