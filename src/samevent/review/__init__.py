"""Review: a person looks at a finished run in a browser and corrects it; every decision is on disk at once.

    with Session(Path("out")) as session, ReviewServer(session) as server:
        print(server.address)
        server.serve_forever()

`session` keeps the decisions, `server` hands out the pages and takes decisions from them, from this machine only.
"""

from samevent.review.server import ReviewServer
from samevent.review.session import Session

__all__ = ["ReviewServer", "Session"]
