#!/bin/sh
# Figures, not verdicts: keepsake bench, and on the same export beside it the
# official Python SDK where PyPI can be reached. Arguments go to keepsake bench.
set -eu
cd "$(dirname "$0")/.."
wanted=backend/format/pam/testdata/requirements.txt

# sdk prints the Python of a virtual environment with the SDK. It is the one that
# the tests of backend/format/pam use.
sdk() {
  sum=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()[:8])' "$wanted") || return 1
  home=$PWD/build/test/pam-sdk-$sum
  if [ ! -f "$home/complete" ]; then
    python3 -m venv --clear "$home" >&2 &&
      "$home/bin/python3" -m pip install --quiet --disable-pip-version-check -r "$wanted" >&2 &&
      cp "$wanted" "$home/complete" || return 1
  fi
  echo "$home/bin/python3"
}

if python=$(sdk); then
  exec build/bin/keepsake-cli bench "--peer=$python,$PWD/scripts/bench-sdk.py" "$@"
fi
echo 'THE OFFICIAL PYTHON SDK CANNOT BE HAD (python3, venv or PyPI is missing): NOTHING IS COMPARED WITH IT.' >&2
exec build/bin/keepsake-cli bench "$@"
