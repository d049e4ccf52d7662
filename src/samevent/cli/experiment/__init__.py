"""`samevent experiment NAME`: one file per experiment."""

from __future__ import annotations

import click

from samevent.cli.experiment.ablations import ablations_cli
from samevent.cli.experiment.analysis import analysis_cli
from samevent.cli.experiment.ecbplus import ecbplus_cli
from samevent.cli.experiment.entities import entities_cli
from samevent.cli.experiment.errors import errors_cli
from samevent.cli.experiment.extraction import extraction_cli
from samevent.cli.experiment.pairs import pairs_cli
from samevent.cli.experiment.paper import paper_cli
from samevent.cli.experiment.roles import roles_cli
from samevent.cli.experiment.rules import rules_cli
from samevent.cli.experiment.statistics import statistics_cli
from samevent.cli.experiment.stories import stories_cli
from samevent.cli.experiment.transfer import transfer_cli


@click.group("experiment")
def experiment_cli() -> None:
    """Measure quality on annotated data and print the paper's tables beside ours."""


for _command in (
    paper_cli,
    statistics_cli,
    roles_cli,
    extraction_cli,
    pairs_cli,
    ecbplus_cli,
    ablations_cli,
    rules_cli,
    analysis_cli,
    errors_cli,
    entities_cli,
    transfer_cli,
    stories_cli,
):
    experiment_cli.add_command(_command)
