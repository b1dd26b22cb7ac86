"""Floor: bare httpx and httpx-sse read a long answer and write each delta's text to stdout."""

import asyncio
import sys

import httpx
import httpx_sse
import msgspec


async def main() -> None:
    """Read one streamed answer, event by event."""
    write = sys.stdout.write
    async with httpx.AsyncClient(verify=False, timeout=None) as client:
        url = f"{sys.argv[1]}/chat/completions"
        async with httpx_sse.aconnect_sse(client, "POST", url, json={"stream": True}) as source:
            async for event in source.aiter_sse():
                if event.data != "[DONE]":
                    choices = msgspec.json.decode(event.data)["choices"]
                    write(f"{choices[0]['delta'].get('content') if choices else ''}\n")


asyncio.run(main())
