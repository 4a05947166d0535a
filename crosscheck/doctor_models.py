"""The part of `crosscheck doctor` that asks the embedders and the rerankers, here or on a server."""

import time
from collections.abc import Iterator
from functools import partial

from crosscheck.checks import Check, tried
from crosscheck.reranking import made
from crosscheck.settings_finding import Embedding, Reranker
from crosscheck.wiring import Program


def model_checks(program: Program) -> Iterator[Check]:
    """What the settings add to the defaults, which need no model: each is asked once, with its lock or its key."""
    if program.settings.embedding != Embedding():
        advice = "Check [embedding] and CROSSCHECK_EMBEDDING_API_KEY. Until it answers, only words are compared."
        yield tried("embedding", partial(_embedding, program), advice)
    if program.uses_card:
        advice = "Set gpu.lock to a file that every user who runs Crosscheck on this host may write."
        yield tried("gpu lock", partial(_lock, program), advice)
    reranking = program.settings.reranking
    for number, chosen in enumerate(reranking.models if reranking.enabled else (), 1):
        key = " and CROSSCHECK_RERANKING_API_KEY" if chosen.kind == "server" else ""
        advice = (
            f"Check [[reranking.models]]{key}. Until it works, a lighter one orders the results, and answers say so."
        )
        yield tried(f"reranker {number}", partial(_reranker, program, chosen), advice)


def _embedding(program: Program) -> str:
    """Whether a text can be embedded, as documents are and as code is."""
    embedders = program.embedders()
    began = time.perf_counter()
    for embedder in {id(one): one for one in (embedders.documents, embedders.code)}.values():
        embedder.embed(["a test"], "query")
    return f"{embedders.documents.name} answers in {_since(began)}"


def _lock(program: Program) -> str:
    """Whether it can be made; that somebody holds it just now is as it should be."""
    _ = program.card
    return f"{program.settings.gpu.lock} can be used"


def _reranker(program: Program, chosen: Reranker) -> str:
    """Whether it can be loaded or reached, and tells a text from another."""
    key = program.secrets.wanted("reranking_api_key")
    reranker = made(chosen, lambda: program.card, key, program.settings.reranking.seconds)
    began = time.perf_counter()
    reranker.scores("a test", ["a test", "something else"])
    return f"{reranker.name} answers in {_since(began)}"


def _since(began: float) -> str:
    return f"{(time.perf_counter() - began) * 1000:.0f} ms"
