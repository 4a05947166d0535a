"""Users, conversations, messages and files as Slack's Web API and events show them."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from sandbox.slack.state import Conversation, File, Json, Message, User
from sandbox.slack.workspace import Workspace

TOKEN = re.compile(r"<([^<>]+)>")
_TYPES = {
    "txt": ("text/plain", "text", "Plain Text"),
    "csv": ("text/csv", "csv", "CSV"),
    "png": ("image/png", "png", "PNG"),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", "Excel Spreadsheet"),
}


class Shapes:
    """`base` is where people open the workspace."""

    def __init__(self, workspace: Workspace, base: str) -> None:
        self._workspace = workspace
        self._base = base

    def permalink(self, conversation: Conversation, message: Message) -> str:
        link = f"{self._base}/archives/{conversation.id}/p{message.ts.replace('.', '')}"
        return f"{link}?thread_ts={message.thread}&cid={conversation.id}" if message.thread else link

    def user(self, user: User) -> dict[str, Any]:
        avatar = f"{self._base}/avatar/{user.id}"
        own = user.team == self._workspace.team
        profile: dict[str, Any] = {
            "avatar_hash": "ge3b51ca72de",
            "display_name": user.name,
            "display_name_normalized": user.name,
            "real_name": user.real_name,
            "real_name_normalized": user.real_name,
            "status_emoji": "",
            "status_text": "",
            "team": user.team,
            **{f"image_{size}": f"{avatar}_{size}.png" for size in (24, 32, 48, 72, 192, 512)},
        }
        if user.bot:
            profile |= {"api_app_id": user.app_id, "bot_id": user.bot_id, "always_active": False}
        whole: dict[str, Any] = {
            "id": user.id,
            "team_id": user.team,
            "name": user.name,
            "deleted": user.deleted,
            "real_name": user.real_name,
            "profile": profile,
            "is_bot": user.bot,
            "is_app_user": False,
            "updated": user.time,
        }
        if own:
            whole |= {
                "color": "9f69e7",
                "tz": "Europe/Oslo",
                "tz_label": "Central European Time",
                "tz_offset": 3600,
                "is_admin": False,
                "is_owner": False,
                "is_primary_owner": False,
                "is_restricted": user.guest,
                "is_ultra_restricted": False,
                "has_2fa": False,
                "is_email_confirmed": True,
                "who_can_share_contact_card": "EVERYONE",
            }
        else:
            whole["is_stranger"] = True
        return whole

    def conversation(self, conversation: Conversation, viewer: User) -> dict[str, Any]:
        last = next(reversed(conversation.messages), "0000000000.000000")
        common: dict[str, Any] = {
            "id": conversation.id,
            "created": conversation.created,
            "is_archived": conversation.archived,
            "is_org_shared": False,
            "context_team_id": self._workspace.team,
            "updated": conversation.created * 1000,
        }
        if conversation.kind == "im":
            return common | {"is_im": True, "user": conversation.name, "is_user_deleted": False, "priority": 0}
        text = {"creator": conversation.creator, "last_set": conversation.created}
        shared = bool(conversation.shared_with)
        return common | {
            "name": conversation.name,
            "name_normalized": conversation.name,
            "is_channel": conversation.kind == "channel",
            "is_group": conversation.kind == "group",
            "is_im": False,
            "is_mpim": conversation.kind == "mpim",
            "is_private": conversation.kind != "channel",
            "is_general": conversation.general,
            "is_shared": shared,
            "is_ext_shared": shared,
            "is_pending_ext_shared": bool(conversation.pending),
            "pending_shared": list(conversation.pending),
            "pending_connected_team_ids": [],
            "shared_team_ids": [self._workspace.team, *conversation.shared_with],
            "internal_team_ids": [self._workspace.team],
            "connected_team_ids": list(conversation.shared_with),
            **({"conversation_host_id": self._workspace.team} if shared else {}),
            "creator": conversation.creator,
            "unlinked": 0,
            "parent_conversation": None,
            "is_member": viewer.id in conversation.members,
            "last_read": last,
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": conversation.purpose, **text},
            "previous_names": [],
        }

    def message(self, conversation: Conversation, message: Message, *, metadata: bool = False) -> dict[str, Any]:
        """`metadata`: also what the app keeps with it."""
        if message.subtype == "tombstone":
            shown: dict[str, Any] = {"type": "message", "subtype": "tombstone", "hidden": True}
            return (
                shown
                | {"text": message.text, "user": message.user, "ts": message.ts}
                | self._threaded(conversation, message)
            )
        author = self._workspace.users.get(message.user)
        shown = {"type": "message", "user": message.user, "text": message.text, "ts": message.ts}
        shown |= {"team": author.team if author else self._workspace.team}
        if message.subtype is not None:
            shown["subtype"] = message.subtype
        if author is not None and message.posts is not None:
            shown |= {"bot_id": message.posts, "app_id": author.app_id, "bot_profile": self._bot(author)}
        elif message.subtype is None:
            shown["client_msg_id"] = client_id(message)
        if message.blocks or message.text:
            shown["blocks"] = list(message.blocks) or [rich_text(message.text)]
        if message.files:
            shown |= {"files": [self.file(self._workspace.files[f]) for f in message.files], "upload": False}
            shown |= {"display_as_bot": False}
        if message.edited is not None:
            shown["edited"] = {"user": message.edited.user, "ts": message.edited.ts}
        if metadata and message.metadata is not None:
            shown["metadata"] = dict(message.metadata)
        if message.seen_by is not None:
            shown["is_ephemeral"] = True
        return shown | self._threaded(conversation, message)

    def _threaded(self, conversation: Conversation, message: Message) -> dict[str, Any]:
        if message.thread is not None:
            root = conversation.messages.get(message.thread)
            return {"thread_ts": message.thread, **({"parent_user_id": root.user} if root else {})}
        replies = conversation.replies(message.ts)
        if not replies:
            return {}
        users = list(dict.fromkeys(reply.user for reply in replies))
        return {
            "thread_ts": message.ts,
            "reply_count": len(replies),
            "reply_users_count": len(users),
            "latest_reply": replies[-1].ts,
            "reply_users": users,
            "is_locked": False,
            "subscribed": False,
        }

    def _bot(self, user: User) -> dict[str, Any]:
        icons = {f"image_{size}": f"{self._base}/avatar/{user.bot_id}_{size}.png" for size in (36, 48, 72)}
        return {
            "id": user.bot_id,
            "deleted": False,
            "name": user.real_name,
            "updated": user.time,
            "app_id": user.app_id,
            "icons": icons,
            "team_id": user.team,
        }

    def file(self, file: File) -> dict[str, Any]:
        if file.deleted:
            return {"id": file.id, "mode": "tombstone"}
        media, kind, pretty = file_type(file.name)
        own = f"{self._base}/files-pri/{self._workspace.team}-{file.id}"
        conversations = [self._workspace.conversations[c] for c in file.shares]
        return {
            "id": file.id,
            "created": file.created,
            "timestamp": file.created,
            "name": file.name,
            "title": file.title,
            "mimetype": media,
            "filetype": kind,
            "pretty_type": pretty,
            "user": file.user,
            "user_team": self._workspace.team,
            "editable": False,
            "size": len(file.content),
            "mode": "hosted",
            "is_external": False,
            "external_type": "",
            "is_public": any(c.kind == "channel" for c in conversations),
            "public_url_shared": False,
            "display_as_bot": False,
            "username": "",
            "url_private": f"{own}/{file.name}",
            "url_private_download": f"{own}/download/{file.name}",
            "permalink": f"{self._base}/files/{file.user}/{file.id}/{file.name}",
            "permalink_public": f"{self._base}/files-pub/{file.id}",
            "comments_count": 0,
            "is_starred": False,
            "media_display_type": "unknown",
            "has_rich_preview": False,
            "file_access": "visible",
            "channels": [c.id for c in conversations if c.kind == "channel"],
            "groups": [c.id for c in conversations if c.kind in {"group", "mpim"}],
            "ims": [c.id for c in conversations if c.kind == "im"],
        }

    def shares(self, file: File) -> dict[str, Any]:
        """Where a file is shown, as only `files.info` tells."""
        out: dict[str, Any] = {}
        for channel, stamps in file.shares.items():
            conversation = self._workspace.conversations[channel]
            kind = "public" if conversation.kind == "channel" else "private"
            out.setdefault(kind, {})[channel] = [self._share(conversation, ts) for ts in stamps]
        return out

    def _share(self, conversation: Conversation, ts: str) -> dict[str, Any]:
        message = conversation.messages[ts]
        return {
            "ts": ts,
            "channel_name": conversation.name,
            "team_id": self._workspace.team,
            "share_user_id": message.user,
            "reply_users": [],
            "reply_users_count": 0,
            "reply_count": 0,
            **({"thread_ts": message.thread} if message.thread else {}),
        }


def file_type(name: str) -> tuple[str, str, str]:
    """Media type, Slack's name of the type, and what people call it."""
    ending = name.rpartition(".")[2].lower()
    return _TYPES.get(ending, ("application/octet-stream", ending if "." in name else "binary", "Binary"))


def client_id(message: Message) -> str:
    """The UUID that a client gives what it sends."""
    digits = message.ts.replace(".", "").rjust(32, "0")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def rich_text(text: str) -> Json:
    """What a client sends beside the text that a person wrote."""
    elements = list(_elements(text)) or [{"type": "text", "text": ""}]
    section = {"type": "rich_text_section", "elements": elements}
    return {"type": "rich_text", "block_id": f"b{len(text)}", "elements": [section]}


def _elements(text: str) -> Iterable[Json]:
    at = 0
    for found in TOKEN.finditer(text):
        if found.start() > at:
            yield {"type": "text", "text": unescape(text[at : found.start()])}
        yield _element(found[1])
        at = found.end()
    if at < len(text):
        yield {"type": "text", "text": unescape(text[at:])}


def _element(token: str) -> Json:
    target, _, label = token.partition("|")
    if target.startswith("@"):
        return {"type": "user", "user_id": target[1:]}
    if target.startswith("#"):
        return {"type": "channel", "channel_id": target[1:]}
    if target.startswith("!subteam^"):
        return {"type": "usergroup", "usergroup_id": target.removeprefix("!subteam^")}
    if target.startswith("!"):
        return {"type": "broadcast", "range": target[1:]}
    return {"type": "link", "url": unescape(target), **({"text": unescape(label)} if label else {})}
