"""The settings of what finds: embedders, rerankers, the card they run on, the index and the order of results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bots.web_address import web_address

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class Section(BaseModel):
    """A table of the file. Unknown names are refused: a misspelt setting must not pass in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Embedder(Section):
    kind: Literal["static", "bge", "onnx", "endpoint"] = Field(
        "static",
        description="static: vectors in the package; bge: BGE-M3 by FlagEmbedding (extra `bge`); onnx: by FastEmbed; "
        "endpoint: an OpenAI-compatible server.",
    )
    path: str = Field("", description="bge, onnx: folder of the model's files; nothing is downloaded.")
    model: str = Field(
        "", description="onnx: nomic-embed-text-v1.5 or jina-embeddings-v2-base-code; endpoint: its name."
    )
    url: str = Field("", description="endpoint: its address, up to and with /v1.")
    size: int = Field(0, ge=0, description="endpoint: how long the model's vectors are.")
    ask_size: bool = Field(False, description="endpoint: ask for vectors of that size (`dimensions`).")
    passage_prefix: str = Field("", description="endpoint: what the model wants before a text that is indexed.")
    query_prefix: str = Field("", description="endpoint: what the model wants before a question.")
    longest: int = Field(16_000, ge=100, description="endpoint: characters of a text that it takes at once.")
    revision: str = Field("", description="endpoint: change it when the server has another model of the same name.")
    batch: int = Field(0, ge=0, description="Texts at once; 0: a number that suits the kind.")
    at_once: int = Field(
        0,
        ge=0,
        le=64,
        description="endpoint: requests under way together, and as many for questions, which do not wait for "
        "passages; 0: four.",
    )


class Embedding(Section):
    documents: Embedder = Field(Embedder(), description="What tickets, pages and files are embedded with.")
    code: Embedder | None = Field(None, description="What code is embedded with; without it, as documents are.")


class Reranker(Section):
    kind: Literal["bge", "cross_encoder", "server"] = Field(
        description="bge: a BGE reranker by FlagEmbedding (extra `bge`); cross_encoder: a lighter one by FastEmbed; "
        "server: a model on a server, whose key is CROSSCHECK_RERANKING_API_KEY."
    )
    path: str = Field(
        "",
        validate_default=True,
        description="bge, cross_encoder: folder of the model's files; nothing is downloaded.",
    )
    batch: int = Field(0, ge=0, description="Texts at once; 0: a number that suits the kind.")
    longest: int = Field(0, ge=0, description="Tokens of a question and a text together; 0: the kind's own number.")
    url: str = Field(
        "",
        validate_default=True,
        description="server: what stands before /rerank in its address; of dialect v1 with the version.",
    )
    dialect: Literal["tei", "v1"] = Field(
        "tei", description="server: tei: text-embeddings-inference; v1: vLLM, and what speaks as Jina or Cohere do."
    )
    model: str = Field("", validate_default=True, description="server: the model's name there; needed by dialect v1.")
    at_once: int = Field(0, ge=0, le=64, description="server: requests under way together; 0: four.")

    @field_validator("path")
    @classmethod
    def _folder(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.data.get("kind") in {"bge", "cross_encoder"}:
            raise ValueError("is missing: the folder of the model's files")
        return value

    @field_validator("url")
    @classmethod
    def _reachable(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("kind") == "server" and web_address(value) is None:
            raise ValueError("must be an address such as http://reranker:8080, without a password")
        return value

    @field_validator("model")
    @classmethod
    def _named(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.data.get("kind") == "server" and info.data.get("dialect") == "v1":
            raise ValueError("is missing: its name on the server, which dialect v1 needs")
        return value


class Reranking(Section):
    enabled: bool = Field(True, description="false: results stay in the order in which the arms agree on them.")
    seconds: float = Field(
        5, gt=0, le=120, description="How long one reranker may take for a question; then the next one is asked."
    )
    models: tuple[Reranker, ...] = Field(
        (),
        description="Models that read the best candidates, one [[reranking.models]] table each, in order of "
        "preference. The last resort, which needs no model, is always there.",
    )


class Gpu(Section):
    lock: Path = Field(
        Path("~/.local/state/crosscheck/gpu.lock"),
        description="The lock of the host's graphics card. It must be the same file for every process that uses the "
        "card, whatever its data folder, in a place that nobody cleans. Taken by bge and onnx embedders, and by "
        "rerankers that run a model.",
    )
    patience: float = Field(
        2, gt=0, description="Seconds that a question waits for the card; less than reranking.seconds."
    )


class IndexPlace(Section):
    engine: Literal["edge", "server"] = Field(
        "edge",
        description="edge: in the data folder, in this process; server: a Qdrant server or cluster. A change makes a "
        "new index, and the old one answers until that is complete; `crosscheck index move` copies instead.",
    )
    url: str = Field("", description="server: its address, with the port unless that is 6333.")
    prefix: Name = Field(
        "crosscheck",
        description="server: how the names of the collections begin; another one for each data folder.",
    )
    shards: int = Field(0, ge=0, description="server: parts that a new collection is spread over; 0: one on each node.")
    replicas: int = Field(1, ge=1, description="server: copies of each part.")
    write_consistency: int = Field(
        1, ge=1, description="server: copies that must have a write before it counts as made."
    )
    on_disk: bool = Field(False, description="server: read vectors from the disk: much less memory, slower.")
    quantisation: Literal["none", "int8"] = Field(
        "none", description="server: int8: search in vectors of a quarter of the size, then score by the real ones."
    )
    batch: int = Field(64, ge=1, description="server: points a request.")
    timeout: int = Field(30, ge=1, description="server: seconds that a request may take.")

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.engine == "server" and not self.url:
            raise ValueError('engine "server" needs `url`, the address of the server')
        if "@" in self.url.partition("://")[2].partition("/")[0]:  # the address is shown, and kept with the index
            raise ValueError("`url` holds a password; give the server's key as CROSSCHECK_QDRANT_API_KEY")
        if self.write_consistency > self.replicas:
            raise ValueError(f"write_consistency is {self.write_consistency}, but there are {self.replicas} replicas")
        return self


Group = Literal["ticket", "document", "code", "test", "generated", "news", "commit", "qa"]


class Search(Section):
    """What is not set is as it was measured to be best: `core.tuning.Tuning`."""

    places: Mapping[Group, Annotated[int, Field(ge=0, le=10)]] | None = Field(
        None,
        description="Of ten results, how many are kept for each group (ticket, document, code, test, generated, news, "
        "commit, qa) that has as many to offer; more than ten in all are shared out in proportion among the groups "
        "that are there; unset: as measured (docs/search.md).",
    )
    apart: tuple[Group, ...] | None = Field(
        None, description="Groups that get no more than their places while others have something; unset: as measured."
    )
    per_document: int | None = Field(
        None, ge=1, le=10, description="Passages of one document among ten results; unset: as measured."
    )
    novelty: float | None = Field(
        None, ge=0, lt=1, description="How much code that repeats what is above it is put back; unset: as measured."
    )
