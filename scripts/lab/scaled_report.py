"""Scales the times in the JSON of `memtest report`, for trials with made reports."""

import json
import math
import pathlib
import re

TIMES = re.compile(r"^(latency|min|median|mean|low|high|p\d|max|spread|packed|translation|batches).*_ns$")
PART_SCATTER = 0.01  # standard deviations from run to run on a quiet machine: of all times of a part,
ROW_SCATTER = 0.003  # and of a row


def scaled(value, factor, name=""):
    """The JSON with all times of its rows multiplied."""
    if isinstance(value, dict):
        return {key: scaled(member, factor, key) for key, member in value.items()}
    if isinstance(value, list):
        return [scaled(element, factor, name) for element in value]
    return value * factor if isinstance(value, (int, float)) and TIMES.match(name) else value


def read(name):
    """A report without the visits, which are large and not compared."""
    report = json.loads(pathlib.Path(name).read_text())
    for row in (row for part in report["parts"].values() for row in part["rows"]):
        row.pop("visits", None)
    return report


def size_of(row):
    """Of what a row walks; loaded and prefetch walk memory. 0 for a row of something else, such as cores."""
    if "size_bytes" in row or "size_mib" in row:
        return row.get("size_bytes") or row["size_mib"] * 2**20
    return math.inf if "load_percent" in row or "pattern" in row else 0


def slowed(part, factor, least_bytes):
    """A part with longer times from a size on."""
    return {**part, "rows": [scaled(row, factor) if size_of(row) >= least_bytes else row for row in part["rows"]]}


def scattered(part, chance):
    """A part as a quiet machine would measure it again."""
    factor = math.exp(chance.gauss(0, PART_SCATTER))
    rows = [scaled(row, factor * math.exp(chance.gauss(0, ROW_SCATTER))) for row in part["rows"]]
    return {**part, "rows": rows, "warnings": []}


def of_quiet_machine(report, chance):
    """A report as a quiet machine would make it again."""
    return {**report, "parts": {name: scattered(part, chance) for name, part in report["parts"].items()}}
