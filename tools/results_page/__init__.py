"""The results page: Markdown and plots from the JSON that experiments write."""
