#!/usr/bin/env bash
# Finds Node and the checkout, and hands over to install.mjs, which runs on every system.
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# The checkout, also where this file is reached through links.
script=${BASH_SOURCE[0]}
while [ -L "$script" ]; do
  link=$(readlink "$script")
  case $link in
    /*) script=$link ;;
    *) script=$(dirname -- "$script")/$link ;;
  esac
done
root=$(CDPATH='' cd -- "$(dirname -- "$script")" && pwd -P)

needed=20.18.1
node_help='Get it from https://nodejs.org or with your version manager (nvm install 22), then run this again.'
command -v node >/dev/null 2>&1 || fail "Node.js is missing: $needed or newer is needed." "$node_help"
found=$(node -p process.versions.node 2>/dev/null) || fail 'Node.js does not start: node -p failed.' "$node_help"
is_older() { # whether version $1 is older than $2, number by number
  local IFS=. i
  # shellcheck disable=SC2206 # split at the dots
  local a=(${1%%-*}) b=($2)
  for i in 0 1 2; do
    [ "${a[i]:-0}" -eq "${b[i]}" ] || { [ "${a[i]:-0}" -lt "${b[i]}" ] && return 0 || return 1; }
  done
  return 1
}
if is_older "$found" "$needed"; then
  fail "Node.js $found is too old: $needed or newer is needed (found $(command -v node))." "$node_help"
fi
exec node "$root/install.mjs" "$@"
