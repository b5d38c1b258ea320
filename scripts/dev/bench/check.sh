#!/bin/sh
# The same question with curl and jq: is the contract of the called tool still the recorded one?
tool=$(jq -r '.tool_name | sub("^mcp__[^_]+__"; "")')
now=$(curl -s -m 2 "$GATEWAY_URL/api/tools/list" | jq -S --arg t "$tool" '.tools[] | select(.name == $t)')
then=$(jq -S --arg t "$tool" '.tools[] | select(.name == $t)' "$KONNICHIWAGWAN_HOME/session_schema.json")
[ "$now" = "$then" ] || echo '{"systemMessage":"drift"}'
