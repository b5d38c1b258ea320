#!/usr/bin/env bash
# Builds the program from the sources of this commit, with the dependencies that its package-lock.json pins.
set -euo pipefail
if ! node -e 'const [a, b, c] = process.versions.node.split("."); process.exit(a * 1e6 + b * 1e3 + +c < 20018001 ? 1 : 0)'; then
  echo "::error::konnichiwagwan needs Node 20.18.1 or newer: add actions/setup-node before it"
  exit 2
fi
cd "$GITHUB_ACTION_PATH"
if [[ ! -f dist/cli.cjs ]]; then
  npm ci --no-audit --no-fund --loglevel=error
  npm run --silent build
fi
