"""From settings to embedders."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from core.embedders import Embedders
from core.embedding.base import Embedder
from core.errors import EmbedderUnusable
from core.host_lock import HostLock

Kind = Literal["static", "bge", "onnx", "endpoint"]


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """What one collection is embedded with. Plain values, so that they can be kept as JSON; no secret is among them."""

    kind: Kind = "static"
    path: str = ""
    """bge, onnx: the folder with the model's files."""
    model: str = ""
    """onnx: one of `core.embedding.onnx.MODELS`. endpoint: the model's name there."""
    url: str = ""
    """endpoint: the address up to and with `/v1`."""
    size: int = 0
    """endpoint: the length of the model's vectors."""
    ask_size: bool = False
    """endpoint: send the size as `dimensions`."""
    passage_prefix: str = ""
    query_prefix: str = ""
    """endpoint: what the model wants before each text."""
    longest: int = 16_000
    """endpoint: characters of a text at once."""
    revision: str = ""
    """endpoint: to be changed when the server has another model under the same name."""
    batch: int = 0
    """bge, onnx, endpoint: texts at once; 0 is the kind's own number."""
    at_once: int = 0
    """endpoint: requests under way together; 0 is a number that suits most."""


def to_json(documents: EmbedderSettings, code: EmbedderSettings) -> dict[str, Any]:
    """What both collections are embedded with, to be kept with their index."""
    return {"documents": asdict(documents), "code": asdict(code)}


def from_json(kept: Mapping[str, Any], key: str = "", lock: HostLock | None = None) -> Embedders:
    """The embedders of `to_json`; one for both if they are described alike. EmbedderUnusable says what is wrong."""
    try:
        documents, code = EmbedderSettings(**kept["documents"]), EmbedderSettings(**kept["code"])
    except (TypeError, KeyError) as error:
        raise EmbedderUnusable("The embedder's settings are of another version of Crosscheck.") from error
    first = make(documents, key, lock)
    return Embedders(first, first if code == documents else make(code, key, lock))


def make(settings: EmbedderSettings, key: str = "", lock: HostLock | None = None) -> Embedder:
    """The embedder that the settings describe; `key` is an endpoint's, `lock` is taken by what runs on the host's card.
    EmbedderUnusable says what is wrong.

    Only what is asked for is imported: torch takes seconds and half a gigabyte.
    """
    sizes = {"batch": settings.batch} if settings.batch else {}
    if settings.kind == "static":
        from core.embedding.static import StaticEmbedder

        return StaticEmbedder()
    if settings.kind == "bge":
        from core.embedding.bge import BgeEmbedder

        return BgeEmbedder(Path(settings.path), lock=lock, **sizes)
    if settings.kind == "onnx":
        from core.embedding.onnx import MODELS, OnnxEmbedder

        if settings.model not in MODELS:
            raise EmbedderUnusable(f"There is no ONNX model {settings.model!r}; there are: {', '.join(MODELS)}.")
        return OnnxEmbedder(Path(settings.path), MODELS[settings.model], lock=lock, **sizes)
    from core.embedding.endpoint import EndpointEmbedder, EndpointModel

    if not (settings.url and settings.model and settings.size):
        raise EmbedderUnusable("An embedder by its address needs `url`, `model` and `size`.")
    if settings.at_once:
        sizes["at_once"] = settings.at_once
    about = EndpointModel(
        url=settings.url,
        model=settings.model,
        size=settings.size,
        ask_size=settings.ask_size,
        passage_prefix=settings.passage_prefix,
        query_prefix=settings.query_prefix,
        longest=settings.longest,
        revision=settings.revision,
        **sizes,
    )
    return EndpointEmbedder(about, key)
