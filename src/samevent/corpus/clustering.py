"""A clustering: a partition of mentions, all that metrics and clusterers exchange."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping

from samevent.errors import CorpusError, check_type


class Clustering:
    """An immutable partition of mention ids.

    Clusters are tuples that keep the order of their mentions, sorted by first mention. Two clusterings are equal if
    they group the same mentions in the same way.

    >>> c = Clustering([["a", "c"], ["b"]])
    >>> len(c), c.cluster_of("c"), c.same("a", "b")
    (2, ('a', 'c'), False)
    >>> c == Clustering.from_labels({"b": 1, "c": 2, "a": 2})
    True
    """

    __slots__ = ("_clusters", "_index")

    def __init__(self, clusters: Iterable[Iterable[str]]) -> None:
        check_type(clusters, Iterable, "the mention ids of each cluster")
        self._clusters = tuple(cluster for cluster in (tuple(c) for c in clusters) if cluster)
        self._index: dict[str, int] = {}
        for number, cluster in enumerate(self._clusters):
            for mention in cluster:
                if mention in self._index:
                    same = self._index[mention] == number
                    raise CorpusError(
                        f"mention {mention!r} is {'twice in one cluster' if same else 'in two clusters'}",
                        expected="every mention in one cluster",
                    )
                self._index[mention] = number

    @classmethod
    def from_labels(cls, labels: Mapping[str, Hashable]) -> Clustering:
        """Group mentions with the same label."""
        groups: dict[Hashable, list[str]] = {}
        for mention, label in labels.items():
            groups.setdefault(label, []).append(mention)
        return cls(groups.values())

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._clusters)

    def __len__(self) -> int:
        return len(self._clusters)

    def __contains__(self, mention: object) -> bool:
        return mention in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return self._partition() == other._partition()

    def __hash__(self) -> int:
        return hash(self._partition())

    def __repr__(self) -> str:
        return f"<Clustering of {len(self._index)} mentions in {len(self)} clusters>"

    @property
    def mentions(self) -> Collection[str]:
        """All mention ids."""
        return self._index.keys()

    def cluster_of(self, mention: str) -> tuple[str, ...]:
        """Return the cluster of a mention."""
        return self._clusters[self.label_of(mention)]

    def label_of(self, mention: str) -> int:
        """Return the number of a mention's cluster, in order of first mentions."""
        if mention not in self._index:
            raise CorpusError(
                f"mention {mention!r} is not in the clustering",
                expected=f"the id of one of its {len(self._index)} mentions",
            )
        return self._index[mention]

    def same(self, a: str, b: str) -> bool:
        """Return whether two mentions are in one cluster."""
        return self.label_of(a) == self.label_of(b)

    def restricted(self, mentions: Collection[str]) -> Clustering:
        """Return the clustering of only these mentions, without empty clusters."""
        return Clustering([m for m in cluster if m in mentions] for cluster in self)

    def _partition(self) -> frozenset[frozenset[str]]:
        return frozenset(frozenset(cluster) for cluster in self._clusters)
