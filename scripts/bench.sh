#!/bin/sh
# Figures, not verdicts: keepsake bench, with the official Python SDK on the same
# export beside it where PyPI can be reached, and a cold start to the painted
# Welcome screen. Arguments go to keepsake bench.
set -eu
cd "$(dirname "$0")/.."
sdk=build/test/bench-sdk
peer=
if python3 -m venv "$sdk" && "$sdk/bin/python" -m pip install --quiet --disable-pip-version-check -r backend/format/pam/testdata/requirements.txt; then
  peer="--peer=$PWD/$sdk/bin/python,$PWD/scripts/bench-sdk.py"
else
  echo 'THE PYTHON SDK CANNOT BE HAD FROM PyPI: nothing is compared with it.'
fi
build/bin/keepsake-cli bench ${peer:+"$peer"} "$@"
