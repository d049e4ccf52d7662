"""A report in the browser, watched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from samevent.results import Result

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page


_VISIBLE = "all => all.filter(e => e.checkVisibility()).map(e => e.innerText || e.textContent)"
"""Lines of a list that are scrolled out of sight have no `innerText` yet."""


@dataclass
class Visit:
    """A report in the browser, and what it did that it should not: errors, dialogs, requests."""

    page: Page
    files: list[str]
    wrongs: list[str] = field(default_factory=list)

    def watch(self) -> None:
        page = self.page
        page.on("console", lambda message: self.wrongs.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.wrongs.append(f"error: {error}"))
        page.on("request", lambda request: self._requested(request.url))
        page.on("dialog", self._spoke)

    def _spoke(self, dialog: Dialog) -> None:
        self.wrongs.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, url: str) -> None:
        if not url.startswith("data:image/svg+xml,") and url.partition("#")[0] not in self.files:
            self.wrongs.append(f"request: {url}")

    def see(self, selector: str) -> list[str]:
        """Return the visible text of what a selector finds."""
        self.page.wait_for_timeout(50)  # what a click sets off is a task of its own, after the click
        texts: list[str] = self.page.locator(selector).evaluate_all(_VISIBLE)
        return texts


class Open(Protocol):
    """Write a report (by default the small one), open it at a place (by default, its events), and watch it."""

    def __call__(
        self,
        result: Result | None = None,
        *,
        at: str = "#events",
        limit: int = ...,
        width: int = ...,
        **context: Any,
    ) -> Visit: ...
