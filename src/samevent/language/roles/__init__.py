"""Semantic roles: who did what to whom, when and where."""

from samevent.language.roles.base import ROLES, Predicate, RoleArgument
from samevent.language.roles.model import Roles

__all__ = ["ROLES", "Predicate", "RoleArgument", "Roles"]
