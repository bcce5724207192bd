"""What a computation tells: plain data that the screen, the command line and the tests all read."""

from quizapp.report.catalogue import Catalogue, ExperimentInfo, MetricInfo, ParamInfo
from quizapp.report.model import (
    CURVE_POINTS,
    FORMAT,
    HEAT_MAP_SIDE,
    CrossCheck,
    Curve,
    Failure,
    HeatMap,
    Histogram,
    Matrix,
    Metric,
    Provenance,
    Report,
    Row,
    Series,
    Step,
    Table,
)

__all__ = [
    "CURVE_POINTS",
    "FORMAT",
    "HEAT_MAP_SIDE",
    "Catalogue",
    "CrossCheck",
    "Curve",
    "ExperimentInfo",
    "Failure",
    "HeatMap",
    "Histogram",
    "Matrix",
    "Metric",
    "MetricInfo",
    "ParamInfo",
    "Provenance",
    "Report",
    "Row",
    "Series",
    "Step",
    "Table",
]
