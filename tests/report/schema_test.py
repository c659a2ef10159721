"""Runs the probe with options of all kinds, and validates what it prints against the schema.
Usage: schema_test.py PROGRAM MANUAL; ends with 77, which skips the test, where jsonschema is not installed.
MANUAL is the program that prints the schema."""

import json
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit(77)

program, manual = sys.argv[1:]


def validator_of(kind):
    schema = json.loads(subprocess.run([manual, "schema", *kind], stdout=subprocess.PIPE, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check(validator, document, name):
    for error in validator.iter_errors(document):
        sys.exit(f"{name}: {error.json_path}: {error.message}")


validator = validator_of([])
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
    check(validator, document, options)
    if not document["complete"] or not document["rows"]:
        sys.exit(f"{options}: rows are missing")
    print(f"{options or 'no options'}: {len(document['rows'])} rows")

with tempfile.TemporaryDirectory() as folder:
    file = f"{folder}/r.json"
    subprocess.run([program, "report", "--max-size", "0.1", "--output", file], check=True)
    with open(file, encoding="utf-8") as text:
        report = json.load(text)
    check(validator_of(["report"]), report, "report")
    if list(report["parts"])[:3] != ["sweep", "huge", "parallel1"]:
        sys.exit(f"report: the parts are {list(report['parts'])}")
    copies = [shutil.copy(file, f"{folder}/{machine}.json") for machine in "abc"]
    for kind, arguments in {"levels": ["levels", file], "translation": ["translation", file],
                            "compare": ["compare", "--force", "--part", "sweep", file, file],
                            "compare (figures)": ["compare", "--force", file, file],
                            "fleet": ["fleet", file, *copies]}.items():
        run = subprocess.run([program, *arguments, "--format", "json"], stdout=subprocess.PIPE, check=False)
        check(validator_of([kind]), json.loads(run.stdout), kind)

unknown = subprocess.run([manual, "schema", "nosuch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
if unknown.returncode != 1 or unknown.stdout or b"nosuch" not in unknown.stderr:
    sys.exit(f"a schema of no command: status {unknown.returncode}, {unknown.stderr.decode()}")
