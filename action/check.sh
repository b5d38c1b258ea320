#!/usr/bin/env bash
# Compares the servers with the lockfile, and the lockfile with that of the merge base. Annotations go to the log, the
# report to the page of the run. It ends with 0 whatever was found: the last step of the action gives the exit code.
set -euo pipefail
program="$GITHUB_ACTION_PATH/dist/cli.cjs"
lockfile=mcp-contracts.lock.json
reports="$(mktemp -d "$RUNNER_TEMP/konnichiwagwan.XXXXXX")"
cd -- "$GITHUB_WORKSPACE/$KWG_FOLDER"

arguments=()
servers=()
while IFS= read -r server; do
  server="${server#"${server%%[![:space:]]*}"}"
  server="${server%"${server##*[![:space:]]}"}"
  [[ -n "$server" ]] && servers+=("$server")
done <<<"$KWG_SERVERS"
[[ "$KWG_SPAWN" == true ]] && arguments+=(--spawn)
[[ "$KWG_APPROVE" == true ]] && arguments+=(--approve-project-servers)

base=''
# A revision, and nothing that git could take for an option or for two names of a fetch.
if [[ -n "$KWG_BASE" && ! "$KWG_BASE" =~ ^[A-Za-z0-9_][A-Za-z0-9_./@^~-]*$ ]]; then
  echo '::error::the input "base" is not a git revision'
  echo 'exit-code=2' >>"$GITHUB_OUTPUT"
  exit 0
fi
if [[ -n "$KWG_BASE" ]]; then
  # A checkout usually holds one commit. Without the history nobody can tell what a branch changed.
  if ! git merge-base --end-of-options "$KWG_BASE" HEAD >/dev/null 2>&1; then
    [[ "$(git rev-parse --is-shallow-repository)" == true ]] && git fetch --quiet --no-tags --unshallow origin || true
    git fetch --quiet --no-tags --end-of-options origin "$KWG_BASE" || true
  fi
  if base="$(git merge-base --end-of-options "$KWG_BASE" HEAD 2>/dev/null)"; then
    arguments+=("--since=$KWG_BASE")
  else
    echo "::error::the base of the pull request is not in the checkout: give actions/checkout fetch-depth: 0"
    echo 'exit-code=2' >>"$GITHUB_OUTPUT"
    exit 0
  fi
fi

code=0
node "$program" verify "--level=$KWG_LEVEL" --format github --also "markdown=$reports/verify.md" \
  --also "sarif=$reports/verify.sarif" ${arguments[@]+"${arguments[@]}"} -- ${servers[@]+"${servers[@]}"} >"$reports/log" || code=$?
cat "$reports/log"
if ((code > 1)) && [[ ! -s "$reports/log" ]]; then
  echo "::error::konnichiwagwan could not check anything; the lines above say why"
fi

{
  echo '### MCP contracts'
  echo
  case "$code" in
    0) echo 'The servers offer what the lockfile says.' ;;
    1) echo 'The servers, or the approvals, are not what the lockfile says. A person looks at each change with `konnichiwagwan approve`.' ;;
    *) echo 'Not everything could be checked.' ;;
  esac
  if [[ -s "$reports/verify.md" ]] && { [[ "$code" != 0 ]] || grep -q '^#### Approved$' "$reports/verify.md"; }; then
    echo
    cat "$reports/verify.md"
  elif [[ "$code" != 0 ]]; then
    echo 'The log of the run says why.'
  fi
} >"$reports/report.md"

changed=0
if [[ -n "$base" && -f "$lockfile" ]]; then
  prefix="$(git rev-parse --show-prefix)"
  if git cat-file -e "$base:$prefix$lockfile" 2>/dev/null; then
    git show "$base:$prefix$lockfile" >"$reports/before.json"
  else
    echo '{"lockfileVersion": 1, "servers": {}}' >"$reports/before.json"
  fi
  node "$program" diff "$reports/before.json" "$lockfile" --format markdown >"$reports/diff.md" || changed=$?
  # The file's name as it is in the repository, and not where it was written for a moment.
  sed -i.bak -e "1,4s|$reports/before.json|$prefix$lockfile of ${base:0:12}|" -e "1,4s|\`$lockfile\`|\`$prefix$lockfile\`|" "$reports/diff.md"
  if [[ "$changed" == 1 ]]; then
    {
      echo
      echo '### What this pull request changes in the lockfile'
      echo
      cat "$reports/diff.md"
    } >>"$reports/report.md"
  elif [[ "$changed" != 0 ]]; then
    echo "::error file=$lockfile::the lockfile could not be compared with that of the merge base"
    [[ "$code" == 0 ]] && code=2
  fi
fi

if [[ "$KWG_SUMMARY" == true ]]; then
  cat "$reports/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
{
  echo "exit-code=$code"
  echo "changed=$changed"
  echo "report-file=$reports/report.md"
  [[ -s "$reports/verify.sarif" ]] && echo "sarif-file=$reports/verify.sarif"
} >>"$GITHUB_OUTPUT" || true
