"""`auth.test`, `users.*` and `bots.info` of the Web API."""

from typing import Any

from sandbox.slack.calls import ApiError, Asked, Method, page
from sandbox.slack.shapes import Shapes
from sandbox.slack.workspace import Workspace


class UsersApi:
    def __init__(self, workspace: Workspace, shapes: Shapes) -> None:
        self._workspace = workspace
        self._shapes = shapes

    def methods(self) -> dict[str, Method]:
        return {
            "auth.test": Method(self.whoami),
            "users.info": Method(self.info, "users:read"),
            "users.list": Method(self.all, "users:read"),
            "bots.info": Method(self.bot, "users:read"),
        }

    def whoami(self, asked: Asked) -> dict[str, Any]:
        bot = self._workspace.bot
        return {
            "url": f"{asked.base}/",
            "team": self._workspace.name,
            "user": bot.name,
            "team_id": self._workspace.team,
            "user_id": bot.id,
            "bot_id": bot.bot_id,
            "is_enterprise_install": False,
        }

    def info(self, asked: Asked) -> dict[str, Any]:
        user = self._workspace.users.get(asked.needed("user", "user_not_found"))
        if user is None:
            raise ApiError("user_not_found")
        return {"user": self._shapes.user(user)}

    def all(self, asked: Asked) -> dict[str, Any]:
        """Strangers, who are seen through shared channels only, are not in it."""
        own = [user for user in self._workspace.users.values() if user.team == self._workspace.team]
        found, more = page(asked, own, 1000, 1000)
        return {"members": [self._shapes.user(user) for user in found], "cache_ts": int(self._workspace.now())} | more

    def bot(self, asked: Asked) -> dict[str, Any]:
        bot = self._workspace.bot
        if asked.text("bot") != bot.bot_id:
            raise ApiError("bot_not_found")
        shown = {"id": bot.bot_id, "deleted": False, "name": bot.real_name, "updated": bot.time}
        icons = {f"image_{size}": f"{asked.base}/avatar/{bot.id}_{size}.png" for size in (36, 48, 72)}
        return {"bot": shown | {"app_id": self._workspace.app_id, "user_id": bot.id, "icons": icons}}
