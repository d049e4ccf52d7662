"""Word vectors: the shipped table, and readers for word2vec and GloVe files."""

from samevent.language.vectors.base import Vectors, WordVectors, cosine
from samevent.language.vectors.files import load_file
from samevent.language.vectors.table import load_table

__all__ = ["Vectors", "WordVectors", "cosine", "load_file", "load_table"]
