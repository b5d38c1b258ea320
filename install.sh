#!/usr/bin/env bash
# Builds konnichiwagwan and hands over to its own installer: everything that is decided, is decided there.
set -eu

usage() {
  cat <<'EOF'
usage: ./install.sh [--yes | --no-wrap] [--dry-run]       install for all projects; --yes: guard all servers, too
       ./install.sh --project [--dry-run]                 install in the current project
       ./install.sh --uninstall [--purge] [--project] [--dry-run]   take out what was installed (--purge: and its state)
       ./install.sh --demo                                show a stale call being stopped; installs nothing
EOF
}

misused() {
  printf 'install.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

command=install project= dry_run= purge= servers=
for option in "$@"; do
  case $option in
    --project) project=--project ;;
    --dry-run) dry_run=--dry-run ;;
    --purge) purge=--purge ;;
    --yes | --no-wrap)
      [ -z "$servers" ] || [ "$servers" = "$option" ] || misused '--yes and --no-wrap exclude each other'
      servers=$option
      ;;
    --demo | --uninstall)
      [ "$command" = install ] || [ "$command" = "${option#--}" ] || misused '--demo and --uninstall exclude each other'
      command=${option#--}
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) misused "unknown option: $option" ;;
  esac
done
[ -z "$servers" ] || [ "$command" = install ] || misused "$servers goes with an installation"
[ -z "$purge" ] || [ "$command" = uninstall ] || misused '--purge goes with --uninstall'
[ "$command" != demo ] || [ -z "$project$dry_run" ] || misused '--demo stands alone'

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

cli=$root/dist/cli.cjs

# What was built is older than what it is built from. A package that npm packed holds no sources, and is never built.
is_stale() {
  [ -f "$cli" ] || return 0
  [ -d "$root/scripts" ] || return 1
  [ -n "$(find "$root/scripts" "$root/hooks" "$root/package.json" "$root/package-lock.json" -type f -newer "$cli" 2>/dev/null)" ]
}

lacks_packages() {
  local installed=$root/node_modules/.package-lock.json
  [ ! -f "$installed" ] || [ "$root/package-lock.json" -nt "$installed" ]
}

build() {
  is_stale || return 0
  command -v npm >/dev/null 2>&1 || fail 'npm is missing: it comes with Node.js.' "$node_help"
  temporary=$(mktemp -d)
  trap 'rm -rf -- "$temporary"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  export npm_config_update_notifier=false
  # The demo leaves nothing behind, so not even npm's cache and logs are the user's.
  if [ "$command" = demo ]; then
    export npm_config_cache="$temporary/npm" npm_config_logs_dir="$temporary/logs" NODE_DISABLE_COMPILE_CACHE=1
  fi
  # esbuild is a development dependency, and its program an optional one: NODE_ENV=production or an `omit` in some .npmrc
  # must leave out neither.
  if lacks_packages; then
    step 'fetching what the build needs' npm ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund
  fi
  step 'building' npm run build
}

# Before anything is fetched or built: settings that no installer could change.
check_settings() {
  local file
  if [ -n "$project" ]; then file=$PWD/.claude/settings.json; else file=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}/settings.json; fi
  [ -f "$file" ] || return 0
  local why
  why=$(node -e '
    const text = require("fs").readFileSync(process.argv[1], "utf8").replace(/^\ufeff/, "");
    try { if (text.trim() !== "") JSON.parse(text); } catch (error) { console.log(error.message); }' "$file" 2>/dev/null) || return 0
  [ -z "$why" ] || fail "$file is not valid JSON: $why" 'Repair it, then run this again. Nothing was built or installed.'
}

step() { # a quiet step in the checkout, whose output is shown only if it fails
  printf '%s (%s %s) …\n' "$1" "$2" "$3" >&2
  shift
  if ! (cd -- "$root" && "$@") >"$temporary/log" 2>&1 </dev/null; then
    cat -- "$temporary/log" >&2
    fail "\`$*\` failed in $root (its output is above)." 'Nothing was installed.'
  fi
}

if [ "$command" = uninstall ]; then
  if [ -n "$project" ]; then claude=$PWD/.claude; else claude=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}; fi
  for folder in program dist; do # dist: older versions
    installed=$claude/skills/konnichiwagwan/$folder/cli.cjs
    [ -f "$cli" ] || [ ! -f "$installed" ] || cli=$installed
  done
  [ -f "$cli" ] || build
else
  [ "$command" = demo ] || check_settings
  build
fi

# From where the user stands: `--project` means that folder. Not exec: the temporary folder is removed on exit.
node "$cli" "$command" ${project:+"$project"} ${purge:+"$purge"} ${servers:+"$servers"} ${dry_run:+"$dry_run"}
