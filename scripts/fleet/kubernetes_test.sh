#!/usr/bin/env bash
# The manifest is valid, and what is wrong with one is found. Arguments: the check, a file of
# node_modules, the manifest.
set -uo pipefail
check=$1 manifest=$3
modules=${2%/node_modules/*}/node_modules
command -v node >/dev/null || { echo "FAILED: there is no node (scripts/setup installs it with npm)"; exit 1; }
failures=0

node "$check" "$modules" "$manifest" || { echo "FAILED: the manifest"; failures=1; }

# refused WHAT SED: the manifest, edited
refused() {
  sed "$2" "$manifest" >"$TEST_TMPDIR/edited.yaml"
  if cmp -s "$manifest" "$TEST_TMPDIR/edited.yaml"; then
    echo "FAILED: $1: the edit finds nothing"
    failures=1
  elif node "$check" "$modules" "$TEST_TMPDIR/edited.yaml"; then
    echo "FAILED: $1 passes"
    failures=1
  fi
}
refused "a field that there is not" 's/restartPolicy/restartPolcy/'
refused "a value of another type" 's/port: 7245/port: "x"/'
refused "a kind that there is not" 's/kind: Job/kind: Jb/'
refused "a volume that there is not" '0,/name: token$/s/name: token$/name: tokn/'
refused "a device limit that is no request" '0,/efa: 32/s/efa: 32/efa: 16/'
[ "$failures" = 0 ]
