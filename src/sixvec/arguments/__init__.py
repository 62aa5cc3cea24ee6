"""What users pass and get: arguments and their checks, results with several parts, progress, unknown names."""

from sixvec.arguments.checks import (
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
