#!/usr/bin/env bash
# The page's sources: strict types, and prettier's format.
#
#   page_sources_test.sh FILE…
#
# To mend the format: run the last command with --write.
set -euo pipefail
command -v node >/dev/null || { echo "there is no node: scripts/setup --test installs it" >&2; exit 1; }
npm=$TEST_SRCDIR/npm_test/node_modules
folder=$TEST_TMPDIR/page
mkdir -p "$folder"
cp -L "$@" "$folder"
# The compiler looks for packages above the sources.
ln -sfn "$TEST_SRCDIR/npm_page/node_modules" "$folder/node_modules"
cd "$folder"
node "$npm/typescript/bin/tsc" --project .
node "$npm/prettier/bin/prettier.cjs" --config .prettierrc.json --check "${@##*/}"
