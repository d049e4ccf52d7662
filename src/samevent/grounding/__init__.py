"""What mentions refer to: when, where and how many, as values that can be compared.

    document = ground(document, annotation)

gives arguments what their words say, and actions the time, place and quantities of their event. Everything comes from
one document; what several documents say of one entity is not decided here. Nothing raises: what cannot be resolved is
unknown.
"""

from samevent.grounding.ground import ground

__all__ = ["ground"]
