from __future__ import annotations

import pytest

from samevent.errors import UsageError
from samevent.memory import jobs_within, needed, parsed_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4e9), ("4 gb", 4e9), ("512MiB", 2**29), ("2e", None), ("GB", None), ("-1GB", None)],
)
def test_sizes_have_units(text: str, size: float | None) -> None:
    if size is not None:
        assert parsed_size(text) == size
    else:
        with pytest.raises(UsageError, match="no amount of memory"):
            parsed_size(text)


@pytest.mark.parametrize("encoded", [False, True])
def test_jobs_are_as_many_as_fit(encoded: bool) -> None:
    for limit in (1e9, 2e9, 4e9):
        jobs = jobs_within(limit, 50_000, 8, encoded=encoded)
        assert needed(50_000, jobs, encoded=encoded) <= limit
        assert jobs == 8 or needed(50_000, jobs + 1, encoded=encoded) > limit


def test_what_cannot_be_kept_is_said_at_once() -> None:
    with pytest.raises(UsageError, match=r"100,000,000 words need about .* GB, and the limit is 4.0 GB"):
        jobs_within(4e9, 100_000_000, 8, encoded=False)
    assert needed(10**6, 1, encoded=True) > needed(10**6, 1, encoded=False) > needed(10**5, 1, encoded=False)
