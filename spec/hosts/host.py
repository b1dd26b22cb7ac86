"""A turnwire host in Python without its library:  host.py PROMPT [FLAG...]   (TURNWIRE: the command)"""

import json
import os
import subprocess
import sys

reader, writer = os.pipe()
command = [*os.environ.get("TURNWIRE", "turnwire").split(), "run", "--answers-fd", str(reader)]
command += ["--max-line-bytes", "0", *sys.argv[2:], "--", sys.argv[1]]
child = subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=[reader])
os.close(reader)
for event in map(json.loads, child.stdout):
    if event["type"] == "delta" and event["port"] == "text":
        print(event["text"], end="", flush=True)
    elif event["type"] == "human_request" and event["kind"] == "confirm":
        print(event["message"], *event["data"]["lines"], sep="\n", file=sys.stderr)
        answer = {"type": "answer", "id": event["id"], "action": "accept"}
        os.write(writer, json.dumps(answer).encode() + b"\n")
sys.exit(child.wait())
