"""The contextual encoder: vectors of mentions in their sentences."""

from samevent.language.encoder.runtime import ENCODER_FILE as ENCODER_FILE
from samevent.language.encoder.runtime import TOKENIZER_FILE as TOKENIZER_FILE
from samevent.language.encoder.runtime import Encoder as Encoder
from samevent.language.encoder.runtime import MentionVectors as MentionVectors
from samevent.language.encoder.runtime import Reading as Reading
from samevent.language.encoder.runtime import mention_vectors as mention_vectors
