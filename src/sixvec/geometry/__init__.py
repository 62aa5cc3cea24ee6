"""Points, directions, planes, lines and screws: pure geometry on any scalar."""

from sixvec.lazy import on_demand

# Type checkers read __init__.pyi; a test holds the two against each other.
__all__, __getattr__, __dir__ = on_demand(
    __name__,
    {
        "active_passive": "displaced displaced_in_source displaced_in_target seen_from_target",
        "dh_line": "DHLine",
        "direction": "Direction angle_between",
        "homogeneous_point": "HomogeneousPoint",
        "hr_line": "HRLine",
        "line": "Line",
        "line_chart": "convert_line followed minimal_line",
        "line_pair": "CommonNormal common_normal line_angle line_distance lines_intersect lines_parallel "
        "parallel_normal",
        "mirror": "Mirror handedness",
        "orientation": "",
        "pc_line": "PCLine",
        "plane": "Plane",
        "plucker_line": "PluckerLine",
        "point": "Point",
        "polygon": "Polygon",
        "reciprocal": "reciprocal_product reciprocal_set screw_rank",
        "rigid_body": "",
        "screw": "Screw",
        "screw_transform": "ScrewTransform",
        "segment": "Segment",
        "skew": "axial_vector skew unskew",
    },
)
