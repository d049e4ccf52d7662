"""A month of invented news and a late verdict to try samevent on: `articles()` to read, `gold()` to compare with.

Four outlets report on eight happenings in short articles. Places, people and companies do not exist.

| happening | event ids | articles | what makes it hard |
|---|---|---|---|
| an earthquake at Kestry | `kestry-` | 6 | *quake*, *shook*, *disaster*; the aftershock is another event |
| an earthquake at Tarnvale | `tarnvale-` | 2 | reported in the same words as Kestry's; one article is about both |
| a crown is stolen | `crown-` | 5 on 4 days | *raid*, *burglary*, *disappears*; break-in and escape are apart |
| a ferry runs aground | `heron-` | 4 | *accident*, *strikes the rocks*; the airlift is a part of the rescue |
| one firm buys another | `oakmoor-`, `norvane-` | 4 | *sold*, *deal*; an earlier offer, an earlier takeover |
| a mayor's fall | `grell-` | 4 in 6 months | one bribe *taken*, *accepted*, *paid*; another arrest, another trial |
| a bus strike | `bus-` | 3 | *walkout*; another strike begins; "struck a bargain" is not one |
| a space probe lands | `lantern-` | 2 | *landing*, *touched down*; *flew* goes back to a *journey* |

One article sums up most of them in headline style: seven sentences in the present tense. Outlets repeat each other's
words, though less often than those of ECB+ do.

`gold()` marks events much as ECB+ does:

- every word that names something that happened, will happen or is said not to have happened; sayings too
  (*said*, *told*), one event per statement;
- the shortest words that name it: *stepped down*, but only *offer* in "made an offer";
- noun and verb alike where the verb only says that the noun took place ("the quake struck"),
  as one event; ECB+ mostly makes two of them;
- parts of an event, its beginning and its end as events of their own;
- not: states (*lasted*, *needs*), links between events (*followed*), habits, pronouns, words that only describe
  another ("rescue teams").

Both come from `articles.txt`, one sentence per line; a mention is written `[struck|kestry-quake]`. Edit them there.
"""

from __future__ import annotations

import re
from importlib import resources

from samevent.corpus import Corpus, Document

_MENTION = re.compile(r"\[(?P<words>[^|\]]+)\|(?P<event>[^|\]]+)\]")


def articles() -> Corpus:
    """Return the articles as a reader gets them: text, title, date and outlet, no mentions.

    >>> articles()["wire-03-21"].title
    'Earthquake strikes Tarnvale, twelve hurt'
    """
    return gold().mapped(lambda document: document.with_mentions(()))


def gold() -> Corpus:
    """Return the articles with all event mentions, and with the event that each refers to.

    >>> [m.text for m in gold().mentions() if m.event == "bus-settlement"]
    ['agreement', 'settlement', 'bargain']
    """
    source = (resources.files("samevent.demo") / "articles.txt").read_text("utf-8")
    return Corpus(map(_document, source.split("\n---\n")))


def _document(article: str) -> Document:
    """Read one article: lines of `field: value`, an empty line, and the text with its mentions marked."""
    head, body = article.split("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    marked = " ".join(body.split())
    document = Document.from_text(
        fields["id"],
        _MENTION.sub(r"\g<words>", marked),
        title=fields["title"],
        date=fields["date"],
        extra={"outlet": fields["outlet"]},
    )
    mentions, markup = [], 0
    for match in _MENTION.finditer(marked):
        start = match.start() - markup
        span = document.token_span(start, start + len(match["words"]))
        mentions.append(document.mention("action", *span, event=match["event"]))
        markup += len(match[0]) - len(match["words"])
    return document.with_mentions(mentions)
