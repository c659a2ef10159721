#!/bin/sh
# The release program is hardened, the timed loop is not: hardening_test.sh PATH-OF-MEMTEST OBJECT-OF-THE-TIMED-LOOP
set -u
export LC_ALL=C
program=$1
timed_loop=$2
command -v readelf >/dev/null || {
    echo 'skipped: readelf is not installed'
    exit 77
}
failures=0

has() { # DESCRIPTION PATTERN, of the input
    if grep -q -E -e "$2"; then
        echo "ok: $1"
    else
        echo "FAILED: $1"
        failures=$((failures + 1))
    fi
}

readelf -lW "$program" | has 'what is relocated once is read-only afterwards' GNU_RELRO
readelf -dW "$program" | has 'and all is relocated at the start' '\((BIND_NOW|FLAGS_1)\).*NOW'
readelf -W --dyn-syms "$program" | has 'calls of the C library are checked (_FORTIFY_SOURCE)' ' __[a-z]*printf_chk'
readelf -W --dyn-syms "$program" | has 'the stack is guarded' ' __stack_chk_fail'
if [ "$(readelf -sW "$timed_loop" | grep -c __stack_chk)" -eq 0 ]; then guarded=no; else guarded=yes; fi
echo "$guarded" | has 'but not in the timed loop' no

[ "$failures" -eq 0 ]
