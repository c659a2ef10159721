# Read by the other scripts: prints the comment at the top of one with --help, and refuses what it does not know.
# shellcheck shell=sh
refuse() { # SENTENCE
    echo "$0: $1; see $0 --help" >&2
    exit 2
}
fail() { # SENTENCE
    echo "$0: $1" >&2
    exit 1
}
operand() { # WHAT ARGUMENT: refuses an option, or nothing, in its place
    case $2 in
    '' | -*) refuse "expected $1, not '$2'" ;;
    esac
}
case ${1-} in
-h | --help)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit
    ;;
esac
