"""``margintree solvers``."""

from margintree.cli._common import reported


@reported
def solvers() -> None:
    """List the solvers: their version, licence, abilities and remarks.

    'native' is the proof engine of margintree. The others solve a mixed-integer model: 'cones' are
    second-order cones, and 'starts' means that the solver takes a first tree.

    [bold]Example[/bold]

    margintree solvers
    """
    from margintree.cli._view import console, print_records
    from margintree.exact.solvers import SOLVERS, Abilities, available

    rows = []
    for name, status in available().items():
        abilities = SOLVERS[name].abilities if name in SOLVERS else Abilities("not needed")
        rows.append(
            (
                name,
                status.version if status.installed else "no",
                "yes" if status.licensed else "no",
                abilities.cones or "no",
                "yes" if abilities.starts else "no",
                status.detail,
            )
        )
    headings = ("solver", "installed", "licensed", "cones", "starts", "remarks")
    print_records(console(), headings, rows)
