"""Floor: import httpx, post once, read the answer."""

import sys

import httpx

body = {"model": "bench", "stream": True, "messages": [{"role": "user", "content": "Go."}]}
httpx.post(f"{sys.argv[1]}/chat/completions", json=body).raise_for_status()
