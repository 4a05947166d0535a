"""What the Slack app may do, and why: the scopes that its manifest asks for and that are checked at a start.

Which scope each method and event takes is told on its page, https://docs.slack.dev/reference. Not asked for, though
near: `files:read` (that a message has files, and their titles, is seen without it, and what people attach is not
read), `metadata.message:read` (it is for events about metadata; what the bot wrote itself comes with the messages),
`chat:write.public` and `channels:join` (the bot speaks only where somebody has invited it), `im:write` (it begins no
conversation), `users:read.email`.
"""

from collections.abc import Mapping
from types import MappingProxyType

SCOPES: Mapping[str, str] = MappingProxyType(
    {
        "app_mentions:read": "hear that somebody mentions the bot",
        "channels:history": "read a question again before answering, its thread, and follow-ups, in public channels",
        "groups:history": "the same in private channels",
        "im:history": "the same in direct messages",
        "mpim:history": "the same in group direct messages",
        "channels:read": "see whether a public channel is archived, shared with another company, and who is in it",
        "groups:read": "the same for private channels",
        "im:read": "the same for direct messages",
        "mpim:read": "the same for group direct messages",
        "users:read": "tell guests from members before an answer is shown to them, and name who wrote in a thread",
        "chat:write": "answer, say what it is doing, and take an answer back that came out wrong",
        "files:write": "share files of test cases, and delete their earlier versions",
        "commands": "the command /crosscheck and the shortcut “Ask about this”",
        "assistant:write": "name the threads of the bot's own pane and offer questions there",
    }
)
"""A scope of the bot's token -> what it is needed for."""
