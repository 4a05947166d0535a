"""What is no message, on the standard input of the server: it goes on, and says nothing but the protocol."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
GARBAGE = [
    b"hello",
    b"\xff\xfe\x00",
    b"",
    b"{}",
    b"[]",
    b"null",
    b"[" * 1_000_000,
    b"x" * 5_000_000,
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":44,"result":{}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":777}}',
    b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"\xed\xa0\x80","arguments":{}}}',
    b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"search","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"search","arguments":{"text":"\\ud800"}}}',
]


def test_garbage_is_passed_over_and_what_comes_after_it_is_answered():
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crosscheck.mcp.stdio_program", "org"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = [json.dumps(INITIALIZE).encode(), b'{"jsonrpc":"2.0","method":"notifications/initialized"}', *GARBAGE]
        last = b'{"jsonrpc":"2.0","id":"last","method":"tools/list"}'
        process.stdin.write(b"\n".join([*lines, last, b""]))
        process.stdin.flush()
        answers = {}
        while "last" not in answers:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        process.stdin.close()
        assert process.wait(10) == 0
    assert "result" in answers["last"]
    assert "root:" not in json.dumps(answers)
    assert all("result" not in answers[number] for number in (5, 6, 7) if number in answers)
