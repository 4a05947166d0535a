"""`files.*` of the Web API, and the address that a file's bytes are sent to."""

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sandbox.slack.calls import ApiError, Asked, Method
from sandbox.slack.limits import blocks_problems
from sandbox.slack.pings import Ping, pinging
from sandbox.slack.shapes import Shapes
from sandbox.slack.state import Conversation, File, Message
from sandbox.slack.workspace import Workspace

UPLOAD = "/upload/v1"


class FilesApi:
    def __init__(self, workspace: Workspace, shapes: Shapes, pings: list[Ping]) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._pings = pings
        self._addresses: dict[str, File] = {}

    def methods(self) -> dict[str, Method]:
        return {
            "files.getUploadURLExternal": Method(self.begin, "files:write"),
            "files.completeUploadExternal": Method(self.complete, "files:write"),
            "files.delete": Method(self.delete, "files:write"),
            "files.info": Method(self.info, "files:read"),
        }

    def routes(self) -> list[Route]:
        return [Route(f"{UPLOAD}/{{address}}", self._upload, methods=["POST"])]

    def begin(self, asked: Asked) -> dict[str, Any]:
        name, length = asked.needed("filename"), asked.needed("length")
        if not (length.isascii() and length.isdigit() and int(length[:10]) > 0):
            raise ApiError("invalid_arguments", response_metadata={"messages": ["[ERROR] must be greater than 0"]})
        file = self._workspace.file(name, name, self._workspace.bot, None, int(length))
        address = f"{file.id}{len(self._addresses):08x}"
        self._addresses[address] = file
        return {"upload_url": f"{asked.base}{UPLOAD}/{address}", "file_id": file.id}

    def complete(self, asked: Asked) -> dict[str, Any]:
        """Shares the uploaded files as one message. The answer comes before they are shared, and says nothing of it."""
        files = self._uploaded(asked)
        channel = asked.text("channel_id") or asked.text("channels")
        thread = asked.text("thread_ts") or None
        if channel:
            conversation = self._where(channel, thread)
            blocks = asked.json("blocks", "invalid_blocks") or []
            if blocks and (not isinstance(blocks, list) or blocks_problems(blocks)):
                raise ApiError("invalid_blocks")
            if any(block["type"] == "markdown" for block in blocks):
                raise ApiError("internal_error")  # https://github.com/slackapi/python-slack-sdk/issues/1756
            answer = {"files": [self._shapes.file(file) for file in files]}
            bot, comment = self._workspace.bot, asked.text("initial_comment")
            message = Message("", bot.id, comment, thread, () if comment else blocks, subtype="file_share")
            message.posts, message.files = bot.bot_id, [file.id for file in files]
            self._workspace.post(conversation, message)
            self._pings += [Ping(conversation.id, message.ts, what) for what in pinging(comment, blocks)]
            return answer
        return {"files": [self._shapes.file(file) for file in files]}

    def delete(self, asked: Asked) -> dict[str, Any]:
        file = self._file(asked.needed("file", "file_not_found"))
        if file.user != self._workspace.bot.id:
            raise ApiError("cant_delete_file")
        self._workspace.remove_file(file)
        return {}

    def info(self, asked: Asked) -> dict[str, Any]:
        file = self._file(asked.needed("file", "file_not_found"))
        shown = self._shapes.file(file) | {"shares": self._shapes.shares(file)}
        paging = {"count": 20, "total": 0, "page": 1, "pages": 0}
        return {"file": shown, "comments": [], "paging": paging, "response_metadata": {"next_cursor": ""}}

    def _file(self, file_id: str) -> File:
        file = self._workspace.files.get(file_id)
        if file is None:
            raise ApiError("file_not_found")
        if file.deleted:
            raise ApiError("file_deleted")
        return file

    def _uploaded(self, asked: Asked) -> list[File]:
        listed = asked.json("files", "invalid_arguments")
        if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
            raise ApiError("invalid_arguments")
        files = []
        for one in listed:
            file = self._workspace.files.get(str(one.get("id")))
            if file is None or not file.uploaded or file.deleted or file.user != self._workspace.bot.id:
                raise ApiError("file_not_found")
            file.title = str(one.get("title") or file.name)
            files.append(file)
        return files

    def _where(self, channel: str, thread: str | None) -> Conversation:
        conversation = self._workspace.conversations.get(channel)
        bot = self._workspace.bot.id
        if conversation is None or (bot not in conversation.members and conversation.kind != "channel"):
            raise ApiError("channel_not_found")
        if bot not in conversation.members:
            raise ApiError("not_in_channel")
        if conversation.archived:
            raise ApiError("is_archived")
        if thread is not None and (thread not in conversation.messages or conversation.messages[thread].thread):
            raise ApiError("thread_not_found")
        return conversation

    async def _upload(self, request: Request) -> Response:
        """The bytes as the whole body, or as a part of a form."""
        file = self._addresses.get(request.path_params["address"])
        if file is None or file.uploaded:
            return PlainTextResponse("upload_url_invalid", 404)
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            async with request.form() as form:
                sent = next((part for part in form.values() if not isinstance(part, str)), None)
                content = await sent.read() if sent is not None else b""
        else:
            content = await request.body()
        if len(content) != file.length:
            return PlainTextResponse("content_length_mismatch", 400)
        with self._workspace.lock:
            file.content, file.uploaded = content, True
        return PlainTextResponse(f"OK - {len(content)}")
