"""The page of results: Markdown and plots from the JSON that experiments write, and nothing else."""

from samevent.experiments.page.results import results_page

__all__ = ["results_page"]
