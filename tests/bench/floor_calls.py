"""Floor: bare httpx, streamed, the body encoded by msgspec; a conversation of N calls, no tool, no log."""

import asyncio
import sys

import httpx
import msgspec

base, calls = sys.argv[1], int(sys.argv[2])
TOOLS = [{"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}]


async def main() -> None:
    """Make the requests of a turn with ``calls`` tool calls."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Go."}]
    async with httpx.AsyncClient(verify=False) as client:
        for number in range(calls + 1):
            request = {"model": "bench", "stream": True, "messages": messages, "tools": TOOLS}
            body = msgspec.json.encode(request)
            url = f"{base}/chat/completions"
            async with client.stream("POST", url, content=body) as answer:
                async for _ in answer.aiter_raw():
                    pass
            arguments = f'{{"text":"note number {number}"}}'
            function = {"name": "note", "arguments": arguments}
            call = {"id": f"t1.c{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            result = f"noted: note number {number}"
            messages.append({"role": "tool", "tool_call_id": f"t1.c{number}", "content": result})


asyncio.run(main())
