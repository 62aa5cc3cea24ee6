"""Between the library and its user: arguments and their checks, answers, progress, names that do not exist."""

from sixvec.border.arguments import (
    Array,
    common_batch,
    number_for_each,
    number_from_zero,
    one_number,
    positive_number,
    real_array,
    real_number,
    require_all,
    require_distinct,
    require_finite,
    require_shape,
    require_unmasked,
    whole_number,
    wrenches_by_frame,
)

__all__ = [
    "Array", "common_batch", "number_for_each", "number_from_zero", "one_number", "positive_number", "real_array",
    "real_number", "require_all", "require_distinct", "require_finite", "require_shape", "require_unmasked",
    "whole_number", "wrenches_by_frame",
]  # fmt: skip
