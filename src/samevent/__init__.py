"""Which mentions tell of the same event, within and across documents, with a probability."""

__version__ = "0.1.0"
