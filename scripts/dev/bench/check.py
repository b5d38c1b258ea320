# The same question in Python: is the contract of the called tool still the recorded one?
import json, os, sys, urllib.request

tool = json.load(sys.stdin)["tool_name"].split("__", 2)[2]
with urllib.request.urlopen(os.environ["GATEWAY_URL"] + "/api/tools/list", timeout=2) as answer:
    now = json.load(answer)
with open(os.environ["KONNICHIWAGWAN_HOME"] + "/session_schema.json") as file:
    then = json.load(file)
pick = lambda tools: json.dumps([t for t in tools["tools"] if t["name"] == tool], sort_keys=True)
if pick(now) != pick(then):
    print('{"systemMessage":"drift"}')
