#!/bin/sh
# What the Tab key offers in a real shell: completions_test.sh bash|zsh PATH-OF-COMPLETION
# On a terminal that script(1) makes, Tab inserts all that is offered, and a function called memtest notes its words.
set -u
export LC_ALL=C
shell=$1
completion=$(realpath "$2")
for tool in "$shell" script; do
    command -v "$tool" >/dev/null || {
        echo "skipped: $tool is not installed"
        exit 77
    }
done
script -q -c true /dev/null >/dev/null 2>&1 || {
    echo 'skipped: there are no pseudo-terminals (/dev/pts)'
    exit 77
}
"$shell" -n "$completion" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/sweeps"
cd "$folder/sweeps" || exit 1
touch base.csv 'new one.csv'

cat >"$folder/common" <<END
memtest() { printf '%s\n' "\$@" | tr '=,' '\n\n' | sort -u | grep . | paste -s -d ' ' - >>"$folder/offered"; }
END
cat "$folder/common" - >"$folder/.bashrc" <<END
. "$completion"
bind '"\t": insert-completions'
END
cat "$folder/common" - >"$folder/.zshrc" <<END
fpath=("$(dirname "$completion")" \$fpath)
autoload -Uz compinit
compinit -D -u
insert_all() { _main_complete; compstate[insert]=all compstate[list]=; }
zle -C insert_all complete-word insert_all
bindkey '^I' insert_all
END

typed=
expected=
offers() { # LINE WORDS: what the line becomes when Tab is pressed at its end, without = and commas, sorted, each once
    typed=$typed$1$(printf '\t')'
'
    expected="$expected$2
"
}

counters='context-switches cycles dtlb-misses instructions l1d-misses llc-misses page-faults'
offers 'memtest le' 'levels'
offers 'memtest compare' 'compare'
offers 'memtest --random le' '--random le'
offers 'memtest --pa' '--pages --parallel'
offers 'memtest --random --vers' '--random --version'
offers 'memtest --pages ' '--pages 1g 2m 4k default thp'
offers 'memtest --pages=' '--pages 1g 2m 4k default thp'
offers 'memtest --pages=t' '--pages thp'
offers 'memtest -r --estimate m' '--estimate -r mean median min'
offers 'memtest --format ' '--format csv json table'
offers 'memtest --counters ' "--counters all $counters"
offers 'memtest --counters cycles,p' '--counters cycles page-faults'
offers 'memtest --counters=page-faults,l' '--counters l1d-misses llc-misses page-faults'
offers 'memtest --counters page-faults,page' '--counters page page-faults'
offers 'memtest --max-size ' '--max-size'
offers 'memtest --max-size=' '--max-size'
offers 'memtest -m ' '-m'
offers 'memtest --cpu ' '--cpu'
offers 'memtest -o ' '-o base.csv new one.csv'
offers 'memtest --output=b' '--output base.csv'
offers 'memtest --pages thp b' '--pages b thp'
offers 'memtest compare ' 'base.csv compare new one.csv'
offers 'memtest compare base.csv new\ ' 'base.csv compare new one.csv'
offers 'memtest compare --to' '--tolerance compare'
offers 'memtest compare --' '--all --columns --force --format --help --measure --output --part --status --tolerance --tries --unclear compare'
offers 'memtest report --only levels,t' '--only levels report tail tlb'
offers 'memtest levels --' '--columns --format --help --part levels'
offers 'memtest levels --format ' '--format csv json levels table'
offers 'memtest compare --tolerance ' '--tolerance compare'
offers 'memtest compare --tolerance=' '--tolerance compare'
offers 'memtest compare --tolerance 5 b' '--tolerance 5 base.csv compare'
offers 'memtest tl' 'tlb'
offers 'memtest tlb --pa' '--pages tlb'
offers 'memtest tlb --pages ' '--pages 1g 2m 4k default thp tlb'
offers 'memtest rep' 'report'
offers 'memtest report --' '--beside --cpu --from --help --max-size --max-time --only --output --quiet --without report'
offers 'memtest cor' 'cores'
offers 'memtest cores --' '--all-pairs --both --clean --cpu --format --help --max-time --node --output --quiet --smt cores'
offers 'memtest nodes --pages t' '--pages nodes thp'
offers 'memtest levels --fo' '--format levels'
offers 'memtest levels b' 'base.csv levels'
offers 'memtest help tr' 'help translation'
offers 'memtest translation b' 'base.csv translation'
if [ "$shell" = bash ]; then # zsh keeps the options for words that begin with -
    offers 'memtest --help -' "$(sed -n 's/^ *\*) words="\(--line.*\)" ;;$/--help - \1/p' "$completion" |
        tr ' ' '\n' | sort -u | grep -vx -e - | paste -s -d ' ' -)"
fi

case $shell in
bash) command="bash --noprofile --rcfile '$folder/.bashrc' -i" ;;
zsh) command="ZDOTDIR='$folder' zsh -d -i" ;;
esac
touch "$folder/offered"
printf '%sexit\n' "$typed" | HISTFILE='' INPUTRC=/dev/null TERM=dumb script -q -c "$command" /dev/null >"$folder/screen"
printf '%s' "$expected" | diff -u - "$folder/offered" && exit 0
cat -v "$folder/screen"
exit 1
