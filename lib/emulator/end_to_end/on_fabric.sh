#!/usr/bin/env bash
# Runs a test of this package on the first of two machines of one fabric: its devices then live in
# the fabric's process, not in its own. Arguments: the launcher, the machine, the test.
set -euo pipefail
exec "$1" --nodes=2 "$2" "$3" "--emulate=$2"
