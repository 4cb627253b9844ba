"""Calls tools by the official Python SDK: client.py PROGRAM NAME JSON. Prints their texts as JSON."""
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(program, name, calls):
    said = {}
    server = StdioServerParameters(command=program, args=["mcp", "--client", name])  # with few variables
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            for tool, arguments in calls.items():
                result = await session.call_tool(tool, arguments)
                said[tool] = result.content[0].text
    print(json.dumps(said))


asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
