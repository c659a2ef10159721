#!/bin/sh
# The manual pages as man shows them at 80 columns: manual_test.sh FOLDER. None is too long, and none makes roff warn.
set -u
export LC_ALL=C.UTF-8 MANWIDTH=80 MAN_KEEP_FORMATTING=
command -v man >/dev/null || {
    echo 'skipped: man is not installed'
    exit 77
}
failed=0
for page in "$1"/*.[15]; do
    lines=$(man --warnings=all -l "$page" 2>"$1/warnings" | wc -l)
    case ${page##*/} in
    memtest.1) most=350 ;;
    memtest-output.5) most=750 ;;
    *) most=150 ;;
    esac
    if [ "$lines" -lt 20 ] || [ "$lines" -gt $most ] || [ -s "$1/warnings" ]; then
        echo "${page##*/}: $lines lines of at most $most"
        cat "$1/warnings"
        failed=1
    fi
done
rm -f "$1/warnings"
exit $failed
