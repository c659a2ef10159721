#!/bin/sh
# The man page of memtest-plot says what `plot --help` says: plot_manual_test.sh PATH-OF-PLOT PATH-OF-PAGE
set -u
export LC_ALL=C
plot=$1
page=$2
failures=0

same() { # DESCRIPTION EXPECTED GOT
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        printf 'FAILED: %s\nexpected: %s\ngot:      %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

words() { tr -s ' ' '\n' | grep .; }
rendered() { sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e 's/memtest-plot/plot/' "$page"; }

same 'an entry for each option' \
    "$("$plot" --help | sed -n 's/^ *\(-.*[^ ]\)   *[^ ].*/\1/p')" \
    "$(rendered | grep -A 1 '^\.TP$' | grep '^-.' | grep -v '^--$')"
same 'every word of the help, in its order' \
    "$("$plot" --help | sed -e 's/^usage://' -e 's/^example://' | words)" \
    "$(rendered | sed -e '1,/^\.SH SYNOPSIS/d' -e 's/^\.B //' -e '/^\./d' | words)"

[ "$failures" -eq 0 ]
