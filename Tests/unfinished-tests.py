"""Prints the tests of an event stream of swift test that have begun and not ended.

usage: unfinished-tests.py FILE
"""

import json
import sys

names = {}
begun = {}
with open(sys.argv[1], encoding="utf-8") as events:
    for line in events:
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was ended
        payload = record.get("payload", {})
        if record.get("kind") == "test":
            names[payload["id"]] = payload
            continue
        test = payload.get("testID")
        if payload.get("kind") == "testStarted":
            begun[test] = True
        elif payload.get("kind") in ("testEnded", "testSkipped"):
            begun.pop(test, None)

for test in begun:
    payload = names.get(test, {})
    if payload.get("kind") == "function":
        print(f"  {test}: {payload.get('displayName', payload.get('name'))}")
