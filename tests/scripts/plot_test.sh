#!/bin/sh
# Tests scripts/plot: plot_test.sh PATH-OF-PLOT. The images are taken apart, and the numbers are read from the
# program that gnuplot was given, which a gnuplot put first in PATH keeps.
set -u
export LC_ALL=C
unset MEMTEST
plot=$1
gnuplot=$(command -v gnuplot) || {
  echo 'gnuplot is not installed'
  exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

check() { # DESCRIPTION COMMAND...: the command must succeed
  description=$1
  shift
  if "$@"; then
    echo "ok: $description"
  else
    echo "FAILED: $description"
    failures=$((failures + 1))
  fi
}

not() { ! "$@"; }

same() { # TEXT TEXT
  [ "$1" = "$2" ] || {
    printf 'expected: %s\ngot:      %s\n' "$1" "$2"
    return 1
  }
}

holds() { # FILE TEXT
  grep -qF -- "$2" "$1" || {
    printf 'no "%s" in %s:\n' "$2" "$1"
    head -n 60 "$1"
    return 1
  }
}

# --- the world around the script ---

mkdir bin
cat >bin/gnuplot <<END
#!/bin/sh
# Keeps the program; \$HIDE names a terminal that this gnuplot shall not have; \$BROKEN makes it fail half-way.
case \$2 in
  -e) "$gnuplot" "\$@" 2>&1 | sed "s/ \${HIDE:-none} / /"; exit ;;
esac
cp "\$2" "$folder/program"
if [ -n "\${BROKEN:-}" ]; then
  echo half an image
  echo 'the pen is dry' >&2
  exit 1
fi
exec "$gnuplot" "\$@"
END
cat >bin/fake-memtest <<'END'
#!/bin/sh
[ "$1" = levels ] && grep -q '^0, 0.00391' "$2" || exit 1
cat <<'ROWS'
Thread, Level, Capacity (KiB), Latency (ns), Latency (cycles), From (MiB), To (MiB)
3, L1, 32-48, 1.08, 4.0, 0.00391, 0.02344
3, memory, , 95.1, , 1.00000, 64.00000
7, L1, 64, 2.00, 4.0, 0.00391, 0.02344
ROWS
END
chmod +x bin/gnuplot bin/fake-memtest
PATH=$folder/bin:$PATH

sweep() { # FACTOR THREADS [KEY VALUE]...: 4 KiB to 64 MiB, one size per doubling, 1 ns x FACTOR up to 90 ns x FACTOR
  factor=$1 threads=$2
  shift 2
  [ $# -eq 0 ] || printf '# memtest 1.0.0: a scan\n# an old remark\n'
  while [ $# -gt 0 ]; do
    printf '# %s: %s\n' "$1" "$2"
    shift 2
  done
  awk -v factor="$factor" -v threads="$threads" 'BEGIN {
    print "Thread, Mem size (MiB), Access latency (ns), Latency (cycles), Notes"
    for (kib = 4; kib <= 65536; kib *= 2)
      for (t = 0; t < threads; t++) {
        ns = factor * (kib < 64 ? 1 : kib < 1024 ? 4 : 90)
        printf "%d, %.5f, %.3f, %.2f, preempted\n", t, kib / 1024, ns, 3 * ns
      }
  }'
}

plain='0, 0.00391, 1.000
0, 0.00781, 2.000'
sweep 1 1 order random link pointer line 64 threads 1 pages default 'pages got' '4 KiB' cpu 'AMD EPYC' >small.csv
sweep 0.5 1 order random link pointer line 64 threads 1 pages 2m 'pages got' '2 MiB' cpu 'AMD EPYC' >huge.csv
sweep 1 4 order random link pointer line 64 threads 4 cpu 'AMD EPYC' >threads.csv
sweep 1 1 order random cpu 'AMD EPYC' >stored.csv
cat >>stored.csv <<'END'
# core clock range: 3.690 to 3.712 GHz
# level L1: capacity 32 to 48 KiB, latency 1.08 ns, 4.0 cycles, from 0.00391 to 0.02344 MiB
# level L2: capacity 1024 KiB, latency 4.20 ns, 15.5 cycles, from 0.12500 to 0.50000 MiB
# level memory: latency 95.1 ns, 352 cycles, from 1.00000 to 64.00000 MiB
END
printf 'Thread, Mem size (MiB), Access latency (ns)\n%s\n' "$plain" >plain.csv

# --- reading what was drawn ---

curves() { grep -c 'id="gnuplot_plot_[0-9]*"' "$1"; }
curve() { awk -v start="\$curve$1 << END" '$0 == "END" { on = 0 } on; $0 == start { on = 1 }' program; }
values() { curve "$1" | awk 'NF { print $2 }' | sort -nu | tr '\n' ' '; }
legends() { sed -n "s/.* title '\(.*\)' dashtype.*/\1/p" program | tr '\n' '|'; }
about_as_wide() { # WIDTH FILE: apart from the margins
  awk -v width="$1" 'length > n { n = length } END { if (n > width || n < width - 8) { print n " wide"; exit 1 } }' "$2"
}
number() { # FILE OFFSET: four bytes, big end first
  od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}

# --- images ---

"$plot" -o one.svg small.csv >stdout
check 'an SVG is one whole document' same '</svg>' "$(grep . one.svg | tail -n 1)"
check 'an SVG is 1000 x 600 by default' holds one.svg 'width="1000" height="600"'
check 'one sweep is one curve' same 1 "$(curves one.svg)"
check 'a single sweep is described in full' holds one.svg 'random, pointer, pages 4 KiB, AMD EPYC<'
check 'sizes have human units' holds one.svg '64 KiB<'
check 'sizes have human units up to MiB' holds one.svg '1 MiB<'
check 'the vertical axis says what it is' holds one.svg 'latency (ns)<'
check 'nothing is left beside the image' same '' "$(find . -name '*.part')"
check 'nothing is said on success' not test -s stdout

"$plot" --output=image.PNG --size=640x400 small.csv
check 'a PNG has its signature' same '137 80 78 71 13 10 26 10' "$(od -An -tu1 -N 8 image.PNG | awk '{ $1 = $1; print }')"
check 'a PNG is as wide as asked for' same 640 "$(number image.PNG 16)"
check 'a PNG is as high as asked for' same 400 "$(number image.PNG 20)"
check 'a PNG has its end' same 'IEND' "$(tail -c 8 image.PNG | head -c 4)"

"$plot" -o image.pdf --size 720x432 small.csv
check 'a PDF has its header' same '%PDF' "$(head -c 4 image.pdf)"
check 'a PDF has its end' same '%%EOF' "$(tail -n 1 image.pdf)"
if grep -qa MediaBox image.pdf; then # newer libraries compress it away
  check 'a PDF has the size asked for' same '0 0 720 432' "$(sed -n 's/.*MediaBox *\[ *\([0-9 ]*[0-9]\).*/\1/p' image.pdf | head -n 1)"
fi

HIDE=pdfcairo "$plot" -o missing.pdf small.csv 2>stderr
check 'a gnuplot without PDF is an error' same 1 $?
check 'a gnuplot without PDF is named' holds stderr pdfcairo
if "$gnuplot" -d -e 'set terminal png' 2>/dev/null; then
  HIDE=pngcairo "$plot" -o fallback.png small.csv
  check 'a gnuplot without cairo still writes PNG' same 1000 "$(number fallback.png 16)"
fi

# --- the terminal ---

"$plot" --terminal --size 70x20 small.csv >text
check 'a terminal plot is as wide as asked for' about_as_wide 70 text
check 'a terminal plot is as high as asked for' same 20 "$(grep -c '' text)"
check 'a terminal plot has sizes' holds text '64 KiB'
check 'a terminal plot has the unit of the values' holds text '50 ns'
check 'a terminal plot has the curve at its foot' same 4 "$(awk '/A/ && /1 ns/ { print gsub(/A/, ""); exit }' text)"
"$plot" --terminal small.csv >text
check 'a terminal plot is 100 wide in a pipe' about_as_wide 100 text
"$plot" --terminal --throughput small.csv >text
check 'a terminal plot of accesses has their unit' holds text '500 M/s'

# --- legends ---

"$plot" -o two.svg small.csv huge.csv
check 'two sweeps are two curves' same 2 "$(curves two.svg)"
check 'only what differs is in the legend' same 'pages 4 KiB|pages 2 MiB|' "$(legends)"
check 'what is common is under the title' holds two.svg 'random, pointer, AMD EPYC<'
"$plot" -o threads.svg threads.csv
check 'each thread has a curve' same 4 "$(curves threads.svg)"
check 'each thread has a name' same 'thread 0|thread 1|thread 2|thread 3|' "$(legends)"
"$plot" -o both.svg small.csv plain.csv
check 'a sweep that says nothing is called by its file' same 'random, pointer, pages 4 KiB, AMD EPYC|plain.csv|' "$(legends)"
mkdir a b
cp plain.csv a/run.csv
cp plain.csv b/run.csv
"$plot" -o paths.svg a/run.csv b/run.csv
check 'files of one name are told apart' same 'a/run.csv|b/run.csv|' "$(legends)"
"$plot" -o many.svg plain.csv plain.csv plain.csv plain.csv plain.csv plain.csv plain.csv plain.csv plain.csv
check 'nine curves look different' same 9 "$(sed -n "s/.* dashtype//p" program | sed "s/, .*//" | sort -u | wc -l | tr -d " ")"
"$plot" -o titled.svg --title "it's <mine>" small.csv
check 'a title is used' holds titled.svg "it's &lt;mine"

# --- numbers ---

"$plot" -o values.svg small.csv
check 'the values are latencies' same '1 4 90 ' "$(values 1)"
check 'the sizes are bytes' same '1048576 90' "$(curve 1 | sed -n 9p)"
"$plot" -o values.svg --cycles small.csv
check '--cycles draws the column of that name' same '3 12 270 ' "$(values 1)"
"$plot" -o values.svg --throughput small.csv
check '--throughput is the inverse in millions per second' same '11.1111 250 1000 ' "$(values 1)"
"$plot" -o values.svg --ratio small.csv huge.csv threads.csv
check '--ratio draws the first as 1' same '1 ' "$(values 1)"
check '--ratio: half the latency is twice the speed' same '2 ' "$(values 2)"
check '--ratio compares every thread' same '1 ' "$(values 6)"
"$plot" -o values.svg --ratio plain.csv small.csv
check '--ratio draws the common sizes only' same 2 "$(curve 2 | grep -c .)"
"$plot" -o values.svg small.csv
check 'the vertical axis is logarithmic' holds program 'set logscale y'
"$plot" -o values.svg --linear small.csv
check '--linear is not' not grep -q 'logscale y' program

# --- levels ---

"$plot" -o levels.svg --levels stored.csv
check 'stored levels are shaded' same 3 "$(grep -c 'set object rectangle' program)"
check 'a range of capacities is shown' holds levels.svg '32 to 48 KiB<'
check 'a capacity has its human unit' holds levels.svg '1 MiB<'
check 'the latency of a level is shown' holds levels.svg '95.1 ns<'
"$plot" -o levels.svg --levels --cycles stored.csv
check 'with --cycles levels are in cycles' holds levels.svg '352 cycles<'
MEMTEST=fake-memtest "$plot" -o levels.svg --levels - <small.csv
check 'levels are asked of memtest, of one thread' same 2 "$(grep -c 'set object rectangle' program)"
check 'levels asked of memtest are shown' holds levels.svg '1.08 ns<'
"$plot" --terminal --levels stored.csv >text
check 'a terminal plot names the levels' holds text '32 to 48 KiB'
MEMTEST=fake-memtest "$plot" -o none.svg --levels empty-of-levels.csv 2>stderr
check 'a sweep that is not there has no levels' same 1 $?
MEMTEST=true "$plot" -o none.svg --levels small.csv 2>stderr
check 'no levels found is an error' same 1 $?
check 'no levels found is said' holds stderr 'finds none in small.csv'

# --- files as they come ---

"$plot" -o reference.svg small.csv
cp program reference
awk '{ printf "%s\r\n", $0 }' small.csv >crlf.csv
"$plot" -o crlf.svg crlf.csv
check 'line ends of other systems make no difference' cmp reference program
awk '{ printf "%s\r\n", $0 }' plain.csv >crlf.csv
"$plot" -o crlf.svg crlf.csv
check 'line ends of other systems are no part of a number' same '1 2 ' "$(values 1)"
"$plot" -o stdin.svg <small.csv
check 'standard input makes no difference' cmp reference program
"$plot" -o stdin.svg - <small.csv
check '- is standard input' cmp reference program
printf '%s\n\n' "$plain" | "$plot" -o headless.svg
check 'a file without header or with blank lines is read' same '1 2 ' "$(values 1)"
printf '0, 0.00391, 1\n0, 0.00781, \n0, 0.01562,\n0, 0.03125, 3\n' | "$plot" -o gap.svg
check 'unknown values leave a gap' same '1 | 3 ' "$(curve 1 | awk '{ printf "%s ", NF ? $2 : "|" }')"

# shellcheck disable=SC2016 # nothing of this name may be expanded
odd='it'\''s a "file" `touch hacked` $HOME @x {y}_z %d \n.csv'
cp plain.csv "$odd"
"$plot" -o "an 'odd' \"image\" \$(x).svg" "$odd" plain.csv
check 'odd names of files are shown as they are' holds "an 'odd' \"image\" \$(x).svg" "\`touch hacked\` \$HOME @x {y}_z %d \\n.csv"
check 'odd names of files are only names' not test -e hacked
cp plain.csv ./-x.csv
"$plot" -o dash.svg -- -x.csv
check 'names may begin with a dash after --' same '-x.csv|' "$(legends)"
"$plot" -o -x.svg small.csv
check 'names of images may begin with a dash' test -s ./-x.svg

# --- errors ---

refused() { # STATUS TEXT ARGUMENT...: one line on standard error that holds TEXT, and nothing else
  wanted=$1 text=$2
  shift 2
  "$plot" "$@" >stdout 2>stderr </dev/null
  check "status of: plot $*" same "$wanted" $?
  check "message of: plot $*" holds stderr "$text"
  check "one line for: plot $*" same 1 "$(grep -c . stderr)"
  check "no output of: plot $*" not test -s stdout
}
: >empty.csv
echo 'no sweep' >words.csv
mkdir folder.png
refused 2 '-o FILE.png' small.csv
refused 2 '--nonsense' --nonsense small.csv
refused 2 '-o needs a value' small.csv -o
refused 2 'x.gif' -o x.gif small.csv
refused 2 '--terminal' -o x.png --terminal small.csv
refused 2 '--ratio' -o x.png --ratio small.csv
refused 2 '--throughput' -o x.png --ratio --throughput small.csv huge.csv
refused 2 '--cycles' -o x.png --cycles --throughput small.csv
for wrong in 0x600 1000 1000x 10x20x30 wide -5x5; do
  refused 2 "--size $wrong" -o x.png --size "$wrong" small.csv
done
refused 1 'nowhere.csv: cannot be read' -o x.png nowhere.csv
refused 1 'empty.csv: holds no sweep' -o x.png small.csv empty.csv
refused 1 'standard input: holds no sweep' -o x.png
refused 1 'words.csv: line 1 is no row' -o x.png words.csv
refused 1 'measure with --cycles' -o x.png --cycles plain.csv
refused 1 'folder.png: cannot be written' -o folder.png small.csv
refused 1 'nowhere/x.png: cannot be written' -o nowhere/x.png small.csv
check 'no image is left by an error' same '' "$(find . -name 'x.*' -o -name '*.part')"

cp one.svg kept.svg
BROKEN=1 "$plot" -o kept.svg small.csv >stdout 2>stderr
check 'a gnuplot that fails is an error' same 1 $?
check 'a gnuplot that fails is heard' holds stderr 'the pen is dry'
check 'the image of before survives' cmp one.svg kept.svg
check 'no half image is left' same '' "$(find . -name '*.part')"

mkdir bare
for tool in sh awk cat dirname expr grep mkdir mv rm; do ln -s "$(command -v "$tool")" bare; done
PATH=$folder/bare "$plot" -o x.png small.csv 2>stderr
check 'a missing gnuplot is an error' same 1 $?
check 'a missing gnuplot is named, with its package' holds stderr 'gnuplot is missing: install gnuplot-nox'

"$plot" --help >text
check '--help succeeds' same 0 $?
check '--help tells every option' holds text '--throughput'

echo "$failures failed"
[ "$failures" -eq 0 ]
