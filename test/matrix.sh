#!/usr/bin/env bash
# The suite on later versions of Node: `npm run test:matrix`, or only a part of it: `npm run test:matrix -- test/unit`.
# Builds once, with the Node that is here. The binaries come from the registry's packages that the package `node` would
# choose by an install script; asked for by their own names they need none.
set -euo pipefail
cd "$(dirname "$0")/.."

versions=${AGENTREE_MATRIX:-22 24}
package=node-linux-$(node -p process.arch)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/agentree-matrix-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

npm run -s build
failed=()
for version in $versions; do
	npm install --silent --no-save --ignore-scripts --no-audit --no-fund --prefix "$scratch/$version" "$package@$version"
	bin=$scratch/$version/node_modules/$package/bin
	echo "Node $("$bin/node" --version)"
	PATH="$bin:$PATH" "$bin/node" node_modules/vitest/vitest.mjs run "$@" || failed+=("$version")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed on Node ${failed[*]}" >&2; exit 1; }
