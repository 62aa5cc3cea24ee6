"""`sixvec show ROBOT`: the robot as a text tree."""

from __future__ import annotations

import json

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


@command(name="show", examples=["sixvec show panda", "sixvec show dog.urdf --floating", "sixvec show ur5e --json"])
@options.robot
@options.as_json
def run(robot: str, floating: bool, trusted: bool, as_json: bool) -> int:
    """Print the tree of a robot.

    One line per body: joint, type, place in q, limits of position, speed and effort (rad, m, s, N, N m), mass.  Loops
    follow below the tree.
    """
    from sixvec.formats import load_model
    from sixvec.model.summary import summary
    from sixvec.model.text_tree import text_tree

    model = load_model(robot, floating=floating, trusted=trusted)
    if as_json:
        print(json.dumps(summary(model), indent=2))  # in ASCII, so any terminal may have all of it
        return Status.FINE
    say(text_tree(model))
    if model.closures:
        from sixvec.mechanism.rank_notes import rank_notes

        for note in rank_notes(model):
            say(str(note))
    return Status.FINE
