"""The result of a run, for people and programs: events with labels, members, reasons and dates."""

from samevent.events import Event, Events, Member, Reason, Why
from samevent.results.result import Diagnostics, Result

__all__ = ["Diagnostics", "Event", "Events", "Member", "Reason", "Result", "Why"]
