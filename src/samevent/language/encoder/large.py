"""The large encoder: a base as it was published and the same tuned by an adapter, in one graph.

Vectors of the tuned encoder have the prefix `large_`, those of the base `frozen_`. The adapter leaves the lower half of
the layers as they are, so both share them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from samevent.language.encoder.adapters import merged, read_adapter
from samevent.language.encoder.graph import write_graph
from samevent.language.encoder.runtime import ENCODER_FILE, TOKENIZER_FILE, Encoder
from samevent.language.encoder.weights import read_weights


def write_large_encoder(base: Path, adapter: Path, folder: Path, *, quantized: bool = True) -> Encoder:
    """Write the encoder of a base folder and an adapter file into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = read_weights(base)
    encoders = {"large_": merged(weights, read_adapter(adapter)), "frozen_": weights}
    # With a third of the layers, cosines to full precision stay above .995.
    write_graph(encoders, folder / ENCODER_FILE, quantized=quantized, exact_layers=weights.layers // 3)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    return Encoder(folder)
