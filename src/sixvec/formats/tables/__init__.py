"""Arms as tables of numbers, both ways: `XTable(rows).as_model()` and `XTable.from_model(model)`.

`DHTable` is the form of datasheets; `HRTable` and `PCTable` remain accurate where axes are parallel; `PoETable` has no
singularities.  Each converts to any other through the model.

>>> import sixvec
>>> panda = sixvec.load("panda").model
>>> craig = DHTable.from_model(panda, convention="modified")
>>> [round(row.d, 4) for row in craig.rows]
[0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.107]
>>> PoETable.from_model(craig.as_model()).rows[0].screw.ang
Vec3(x=0.0, y=0.0, z=1.0)
"""

from sixvec.formats.tables.denavit_hartenberg import (
    BookRow,
    DHRow,
    DHTable,
    dh_row_of,
    dh_transform,
    modified_dh_transform,
)
from sixvec.formats.tables.hayati_roberts import HRRow, HRTable, hr_row_of, hr_row_to, hr_transform
from sixvec.formats.tables.parametrically_continuous import PCRow, PCTable, pc_row_to, pc_transform
from sixvec.formats.tables.product_of_exponentials import PoERow, PoETable
from sixvec.formats.tables.table import Link

__all__ = [
    "BookRow", "DHRow", "DHTable", "HRRow", "HRTable", "Link", "PCRow", "PCTable", "PoERow", "PoETable", "dh_row_of",
    "dh_transform", "hr_row_of", "hr_row_to", "hr_transform", "modified_dh_transform", "pc_row_to", "pc_transform",
]  # fmt: skip
