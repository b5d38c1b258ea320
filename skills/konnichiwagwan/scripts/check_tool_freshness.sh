#!/bin/sh
# Phase F under the name that older instructions use. Exit codes: 0 fresh, 1 drift, 2 could not check.
exec node "$(dirname -- "$0")/kwg.cjs" probe "$@"
