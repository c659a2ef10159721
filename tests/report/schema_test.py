"""Runs the probe with options of all kinds, and validates what it prints against the schema.
Usage: schema_test.py PROGRAM MANUAL; ends with 77, which skips the test, where jsonschema is not installed.
MANUAL is the program that prints the schema."""

import json
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit(77)

program, manual = sys.argv[1:]
schema = json.loads(subprocess.run([manual, "schema"], stdout=subprocess.PIPE, check=True).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

area = tempfile.NamedTemporaryFile()
area.truncate(65536)
for options in ("", "--random --levels", "--random --precision 5 --estimate median", "--counters page-faults",
                "--forward --index --parallel 2 --warmup 0", "--node 0", "--random --tlb-locality 4K --pages 4k",
                f"--memory {area.name}"):
    command = [program, "--format", "json", "--max-size", "0.05", "--accesses", "2000", "--quiet", *options.split()]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode == 2:
        print(f"{options}: not here: {run.stderr.decode()}")
        continue
    document = json.loads(run.stdout)
    for error in validator.iter_errors(document):
        sys.exit(f"{options}: {error.json_path}: {error.message}")
    if not document["complete"] or not document["rows"]:
        sys.exit(f"{options}: rows are missing")
    print(f"{options or 'no options'}: {len(document['rows'])} rows")

schema = json.loads(subprocess.run([manual, "schema", "report"], stdout=subprocess.PIPE, check=True).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, "report", "--max-size", "0.1", "--output", f"{folder}/r.json"], check=True)
    with open(f"{folder}/r.json", encoding="utf-8") as file:
        report = json.load(file)
for error in jsonschema.Draft202012Validator(schema).iter_errors(report):
    sys.exit(f"report: {error.json_path}: {error.message}")
if list(report["parts"])[:3] != ["sweep", "huge", "parallel1"]:
    sys.exit(f"report: the parts are {list(report['parts'])}")

unknown = subprocess.run([manual, "schema", "nosuch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
if unknown.returncode != 1 or unknown.stdout or b"nosuch" not in unknown.stderr:
    sys.exit(f"a schema of no command: status {unknown.returncode}, {unknown.stderr.decode()}")
