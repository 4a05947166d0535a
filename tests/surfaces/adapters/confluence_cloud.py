"""Confluence Cloud."""

from tests.surfaces.confluence_base import ConfluenceSurface


class ConfluenceCloud(ConfluenceSurface):
    name = "confluence-cloud"
    site = "confluence_url"
    restricted_above = True
    hook = "automation"
    writes = (("POST", r"/api/v2/(footer|inline)-comments$"), ("DELETE", r"/api/v2/(footer|inline)-comments/\d+$"))

    def start(self) -> None:
        super().start()
        self.wiki.rewrites = True

    def users(self) -> dict[str, str]:
        return {"user": self.box.read_user, "post_user": self.box.post_user}


SURFACE = ConfluenceCloud
