"""Words out of context: base forms, senses, synonyms, hypernyms, classes, frames and their roles."""

from samevent.language.lexicon.base import PARTS, Lexicon, Pos, pos_of_tag
from samevent.language.lexicon.compiled import CompiledLexicon
from samevent.language.lexicon.frames import Role, Roleset

__all__ = ["PARTS", "CompiledLexicon", "Lexicon", "Pos", "Role", "Roleset", "pos_of_tag"]
