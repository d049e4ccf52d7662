from __future__ import annotations

import pytest

from builders import document, needs_data
from real_data import ecbplus_release
from samevent.corpus import KINDS, Corpus, Document, Mention
from samevent.errors import UsageError
from samevent.experiments.protocols import PARTS, SPLITS, load_split

TOPICS = {str(n) for n in range(1, 46)} - {"15", "17"}


@pytest.mark.parametrize("name", SPLITS)
def test_split_puts_every_topic_of_ecbplus_into_one_part(name: str) -> None:
    split = load_split(name)
    topics = [topic for part in PARTS for topic in split.topics(part)]
    assert len(topics) == len(TOPICS)
    assert set(topics) == TOPICS
    assert split.name == name
    assert split.source


@pytest.mark.parametrize(("name", "sizes"), [("yang2015", (20, 3, 20)), ("cybulska", (25, 8, 10))])
def test_parts_have_the_published_sizes(name: str, sizes: tuple[int, ...]) -> None:
    split = load_split(name)
    assert tuple(len(split.topics(part)) for part in PARTS) == sizes


def test_documents_are_selected_by_topic() -> None:
    corpus = Corpus(document(f"d{topic}", topic=topic) for topic in ("1", "24", "40", "2", "news"))
    split = load_split("yang2015")
    assert [split.part_of(d) for d in corpus] == ["train", "dev", "test", "train", None]
    assert [d.id for d in split.select(corpus, "train")] == ["d1", "d2"]
    assert split.part_of(document()) is None


def test_unknown_split_is_refused_with_the_known_names() -> None:
    with pytest.raises(UsageError, match="no split 'yang'; expected one of yang2015, cybulska"):
        load_split("yang")
    with pytest.raises(UsageError):
        load_split("../splits/yang2015")


def in_validated_sentence(d: Document, m: Mention) -> bool:
    return bool(d.sentences[d.sentence_of(m.start)].annotated)


@needs_data("ecbplus", "ECB+.zip")
class TestRelease:
    def test_cybulska_gold_mentions_and_clusters(self) -> None:
        corpus = ecbplus_release()
        split = load_split("cybulska")
        gold = corpus.mapped(
            lambda d: d.with_mentions(
                m for m in d.mentions if m.kind == "action" and in_validated_sentence(d, m)
            )
        )
        sizes = [len(list(split.select(gold, part).mentions())) for part in PARTS]
        assert sizes == [3808, 1245, 1780]
        # Chains of one document are clusters too: taken as single mentions they would make 810.
        assert len(split.select(gold, "test").clustering()) == 805

    def test_yang_gold_mentions_for_extraction(self) -> None:
        test = load_split("yang2015").select(ecbplus_release(), "test")
        pairs = [(d, m) for d in test for m in d.mentions if not d.sentences[d.sentence_of(m.start)].is_url]
        recall = [sum(m.kind == kind and m.event is not None for _, m in pairs) for kind in KINDS]
        balanced = [sum(m.kind == kind and in_validated_sentence(d, m) for d, m in pairs) for kind in KINDS]
        assert dict(zip(KINDS, recall, strict=True)) == {
            "action": 3290,
            "participant": 3910,
            "time": 483,
            "location": 540,
        }
        assert dict(zip(KINDS, balanced, strict=True)) == {
            "action": 3803,
            "participant": 3378,
            "time": 541,
            "location": 561,
        }
