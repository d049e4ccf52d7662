"""A finished run in a folder, without any model: to be reviewed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from report.small import small_result
from samevent.clusterers import Clustered
from samevent.partitions.posterior import Posterior
from samevent.results import Result
from samevent.runs import write_files


def with_posterior(result: Result) -> Result:
    """Return a result in which events with neighbouring numbers are one in every third sample."""
    mentions = list(result.corpus.mentions("action"))
    names = {event: number for number, event in enumerate(dict.fromkeys(m.event or m.id for m in mentions))}
    labels = np.array([names[m.event or m.id] for m in mentions], np.int32)
    samples = np.tile(labels, (3, 1))
    samples[2] = labels // 2
    left = np.arange(len(labels) - 1, dtype=np.int32)
    together = (samples[:, left] == samples[:, left + 1]).mean(axis=0)
    posterior = Posterior(samples=samples, left=left, right=left + 1, together=together)
    clustered = Clustered(tuple(m.id for m in mentions), labels, posterior)
    return replace(result, clustered=clustered)


def finished_run(folder: Path, result: Result | None = None) -> Path:
    """Write a result as `samevent run` does."""
    folder.mkdir()
    about = {"samevent": "0", "model": "en-news", "options": {}, "documents": {}}
    write_files(folder, with_posterior(result or small_result()), about)
    return folder
