#!/bin/sh
# Runs the lines by which memtest-output(5) reads files in other programs, where these are installed:
# readers_test.sh PAGE FOLDER-OF-RESULTS. Each has to find all rows of the sweep, with their latency as a number.
set -u
export LC_ALL=C
page=$(realpath "$1")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$2/sweep.csv" "$2/sweep.json" "$folder"
cd "$folder" || exit 1
sed -n '/^\.SH READING/,/^\.SH SEE/p' "$page" | sed '/^\./d; s/\\-/-/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g' >lines
rows=$(grep -c '^[0-9]' sweep.csv)
ran=0
failed=0

# check PROGRAM PATTERN COMMAND...: runs the line that matches, as the command's last argument, and expects its status 0.
check() {
    program=$1
    line=$(grep -- "$2" lines) || {
        echo "the page has no line with $2"
        failed=1
        return
    }
    shift 2
    sh -c "command -v $program" >/dev/null || return 0
    ran=$((ran + 1))
    line=$line "$@" >said 2>&1 && return 0
    echo "failed: $line"
    cat said
    failed=1
}

# shellcheck disable=SC2016 # sh -c expands them
{
    export rows
    check jq '^jq' sh -c 'test "$(eval "$line" | grep -c "^\[[0-9]*,[0-9.]*\]$")" = "$rows"'
    check gnuplot '^gnuplot' sh -c 'eval "$line" | grep -q "\*\*"'
    check grep '^grep' sh -c 'eval "$line" && test "$(wc -l <sheet.csv)" = $((rows + 1))'
    check mlr '^mlr' sh -c 'test "$(eval "$line" | grep -c "\"Access latency (ns)\": [0-9]")" = "$rows"'
    check python3 '^list(csv' python3 -c '
import csv, os
rows = eval(os.environ["line"])
assert len(rows) == int(os.environ["rows"]) and float(rows[0]["Access latency (ns)"]) > 0'
    check Rscript '^read.csv' Rscript -e 'rows <- eval(parse(text = Sys.getenv("line")))
        stopifnot(nrow(rows) == Sys.getenv("rows"), is.numeric(rows[["Access latency (ns)"]]))'
    python3 -c 'import pandas' 2>/dev/null && for kind in '^pandas.json' '^pandas.read_csv'; do
        check python3 "$kind" python3 -c '
import json, os, pandas
rows = eval(os.environ["line"])
assert len(rows) == int(os.environ["rows"])
latency = rows["latency_ns"] if "latency_ns" in rows else rows["Access latency (ns)"]
assert latency.dtype == float'
    done
}
[ $failed -eq 0 ] || exit 1
echo "$ran programs were tried"
