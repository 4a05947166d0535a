"""Confluence Data Center: people by personal access tokens."""

from tests.surfaces.confluence_base import ConfluenceSurface


class ConfluenceDataCenter(ConfluenceSurface):
    name = "confluence-data-center"
    site = "confluence_data_center_url"
    restricted_above = False
    hook = "data-center"
    writes = (("POST", r"/rest/api/content$"), ("DELETE", r"/rest/api/content/\d+$"))

    def archive(self, place: str) -> None:
        """A page alone cannot be."""
        self.wiki.lock_space("DOC")

    def calm(self) -> None:
        super().calm()
        self.wiki.lock_space("DOC", locked=False)


SURFACE = ConfluenceDataCenter
