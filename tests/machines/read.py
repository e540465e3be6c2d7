"""Reads a site with the client of the Model Context Protocol for Python, a feed parser, and an extractor of metadata."""

import asyncio
import os
import socket
import urllib.request

import extruct
import feedparser
from mcp import Client

SITE = os.environ["SITE"]


def main():
    resolve_localhost()
    asyncio.run(use_tools())
    counts = [read_feed(path) for path in ("/feed.xml", "/rss.xml")]
    assert counts[0] == counts[1], counts
    print(f"feedparser: {counts[0]} posts in each feed")
    types = read_metadata(feedparser.parse(get("/feed.xml")).entries[0].link)
    print(f"extruct: {', '.join(sorted(types))}")


def resolve_localhost():
    """Names below `.localhost` are this machine."""
    original = socket.getaddrinfo

    def getaddrinfo(host, *rest, **options):
        name = host.decode() if isinstance(host, bytes) else host
        return original("127.0.0.1" if name and name.endswith(".localhost") else host, *rest, **options)

    socket.getaddrinfo = getaddrinfo


async def use_tools():
    async with Client(f"{SITE}/mcp") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["search", "read", "list"], names
        listed = (await client.call_tool("list", {})).content[0].text
        path, title = next(line for line in listed.splitlines() if line.startswith("/")).split(" ", 1)
        read = await client.call_tool("read", {"path": path})
        assert not read.is_error, read
        found = await client.call_tool("search", {"query": title})
        assert f"\n{path}" in found.content[0].text, found
        missing = await client.call_tool("read", {"path": "/no/such/page"})
        assert missing.is_error, missing
        print(f"mcp for Python: {client.protocol_version}")


def read_feed(path):
    feed = feedparser.parse(get(path))
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.feed.title and feed.entries, path
    for entry in feed.entries:
        assert entry.id and entry.title and entry.published_parsed, entry
        assert entry.link.startswith(f"{SITE}/"), entry.link
    return len(feed.entries)


def read_metadata(url):
    """The types of the structured data of a page."""
    data = extruct.extract(get(url).decode(), base_url=url, syntaxes=["json-ld", "opengraph"], errors="strict")
    post = next(item for item in data["json-ld"] if item["@type"] == "BlogPosting")
    assert post["url"] == url and post["name"] and post["datePublished"], post
    graph = dict(data["opengraph"][0]["properties"])
    assert graph["og:url"] == url and graph["og:title"], graph
    return {item["@type"] for item in data["json-ld"]} | {graph["og:type"]}


def get(path):
    with urllib.request.urlopen(path if "://" in path else SITE + path, timeout=60) as answer:
        return answer.read()


main()
