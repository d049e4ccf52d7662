"""One self-contained page to look at what a run found: it loads nothing and runs nothing from outside."""

from samevent.report.writing import page, pages, write_report

__all__ = ["page", "pages", "write_report"]
