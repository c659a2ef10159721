#!/bin/sh
# The program on a system that withholds something from it: it works or refuses with a clear sentence.
# Usage: restricted_test.sh CASE PATH-OF-MEMTEST PATH-OF-FORBID [PATH-OF-COARSE-CLOCK PATH-OF-FAIL-CALL]
# Ends with 77 where the means are missing: root, namespaces, control groups.
set -u
export LC_ALL=C
case_name=$1
memtest=$2
forbid=$3
coarse_clock=${4:-}
fail_call=${5:-}
folder=$(mktemp -d) || exit 1
group=
trap 'rm -rf "$folder"; [ -z "$group" ] || rmdir "$group"' EXIT
failures=0

skip() { # REASON
    echo "skipped: $1"
    exit 77
}

run() { # COMMAND...: keeps what it printed and its status
    echo "\$ $*"
    "$@" >"$folder/out" 2>"$folder/error"
    status=$?
    cat "$folder/error"
}

fails() { # WHAT
    echo "FAILED: $1"
    sed 's/^/  out: /' "$folder/out"
    failures=$((failures + 1))
}

has_status() { # STATUS
    [ "$status" -eq "$1" ] || fails "status $status instead of $1"
}

says() { # TEXT: on standard output
    grep -qF -- "$1" "$folder/out" || fails "no '$1'"
}

says_not() { # TEXT: on standard output
    ! grep -qF -- "$1" "$folder/out" || fails "'$1'"
}

warns() { # NAMES: all on standard error; with | between them
    rest=$1
    until [ -z "$rest" ]; do
        grep -qF -- "${rest%%|*}" "$folder/error" || fails "standard error has no '${rest%%|*}'"
        case $rest in
        *'|'*) rest=${rest#*|} ;;
        *) rest= ;;
        esac
    done
}

warns_not() { # TEXT: on standard error
    ! grep -qF -- "$1" "$folder/error" || fails "standard error has '$1'"
}

works() { # COMMAND...: status 0, with rows
    run "$@"
    has_status 0
    grep -q '^0, ' "$folder/out" || fails 'no rows'
}

refuses() { # STATUS NAMES COMMAND...: one line on standard error that holds the names, nothing on standard output
    expected=$1 names=$2
    shift 2
    run "$@"
    has_status "$expected"
    warns "$names"
    [ "$(grep -cv '^memtest: warning: ' "$folder/error")" -eq 1 ] || fails 'not one line of refusal'
    [ ! -s "$folder/out" ] || fails 'something on standard output'
}

with_mounts() { # COMMANDS ARGUMENT...: runs the arguments in a namespace in which the commands have changed the mounts
    mounts=$1
    shift
    unshare -m sh -c "$mounts"' && exec "$@"' sh "$@"
}

needs_mounts() { # COMMANDS: that are going to be used
    with_mounts "$1" true 2>"$folder/error" || skip "mounts cannot be changed here: $(cat "$folder/error")"
}

needs_two_processors() {
    [ "$(nproc)" -ge 2 ] || skip 'this machine has one processor'
}

# --- control groups and limits

with_limits() { # COMMANDS ARGUMENT...: runs the arguments after the commands have set limits
    ulimits=$1
    shift
    sh -c "$ulimits"' && exec "$@"' sh "$@"
}

in_group() { # COMMAND...
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

make_group() { # BYTES: a control group of version 1 or 2 that may use so much memory
    for candidate in /sys/fs/cgroup/memory/memtest.$$:memory.limit_in_bytes /sys/fs/cgroup/memtest.$$:memory.max; do
        group=${candidate%:*}
        if mkdir "$group" 2>/dev/null; then
            if echo "$1" 2>/dev/null >"$group/${candidate#*:}" && in_group true 2>/dev/null; then return; fi
            rmdir "$group"
        fi
    done
    group=
    skip 'no control group can be made here'
}

small_memory() {
    make_group 67108864
    works in_group "$memtest" -a 100000
    says '"lowered_from_bytes":1073741824'
    says ', 32.00000, '
    says_not ', 64.00000, '
    refuses 2 '--max-size 64 MiB | 1 thread ' in_group "$memtest" -m 64
}

one_core() {
    command -v taskset >/dev/null || skip 'there is no taskset'
    core=$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')
    works taskset -c "$core" "$memtest" -m 0.01 -a 10000
    says "\"processors\":{\"ids\":[$core]"
    refuses 2 'at most 1' taskset -c "$core" "$memtest" -c
}

address_space() {
    limit='ulimit -v 200000'
    works with_limits "$limit" "$memtest" -m 1 -a 10000
    refuses 1 ': Cannot allocate memory|--max-size|--size|ulimit -v' \
        with_limits "$limit" "$memtest" -m 512
    [ "$(nproc)" -lt 2 ] || refuses 1 'of memory: Cannot allocate memory; give a smaller --max-size or --size' \
        with_limits "$limit" "$memtest" loaded --size 512
    echo 'an earlier run' >"$folder/earlier.csv"
    refuses 1 ': Cannot allocate memory' \
        with_limits "$limit" "$memtest" -m 512 -o "$folder/earlier.csv"
    grep -qx 'an earlier run' "$folder/earlier.csv" || fails 'the earlier result is gone'
    [ ! -e "$folder/earlier.csv.partial" ] || fails 'something is left of a run that measured nothing'
}

files_beyond_memory() {
    printf '0, 0.00049, 1.5\n0, 1.00000, 5\n' >"$folder/sweep.csv"
    awk 'BEGIN {
        printf "{\"schema\": 3, \"command\": \"tlb\", \"rows\": ["
        for (i = 1; i < 1000000; ++i)
            printf "%s{\"pages\":%d,\"reach_kib\":%d,\"spread_ns\":2.5,\"packed_ns\":1.5,\"translation_ns\":1.0}", (i == 1 ? "" : ",\n"), i, 4 * i
        print "]}" }' >"$folder/tlb.json"
    refuses 1 'out of memory' \
        with_limits 'ulimit -v 50000' "$memtest" levels "$folder/sweep.csv" "$folder/tlb.json"
}

no_more_threads() { # The first one's stack fits into the address space, the second one's does not.
    needs_two_processors
    limits='ulimit -s 200000 && ulimit -v 350000'
    with_limits "$limits" true 2>/dev/null || skip 'the limits cannot be set here'
    works with_limits "$limits" "$memtest" -m 1 -a 10000
    refuses 1 ' 2 of 2: Resource temporarily unavailable|ulimit -u' \
        with_limits "$limits" "$memtest" -m 1 -c
    refuses 1 ' 1 of 1: |ulimit -u' with_limits 'ulimit -s 400000 && ulimit -v 350000' "$memtest" -m 1
}

# A container's entry point survives its own signals. unshare of util-linux 2.37 ignores them, hence the default ones.
process_1() {
    unshare -pf true 2>"$folder/error" || skip "there are no process namespaces here: $(cat "$folder/error")"
    for signal in TERM:143 INT:130; do
        # shellcheck disable=SC2016 # for the shell that becomes the program
        run unshare -pf sh -c 'n=0
            (until grep -qs "^0, " "$1" || [ $n -eq 200 ]; do n=$((n + 1)); sleep 0.1; done; kill -"$2" 1) &
            exec env --default-signal "$0" -m 1 -a 20000000 --visits 1 >"$1"' "$memtest" "$folder/rows" ${signal%:*}
        has_status ${signal#*:}
        rm "$folder/rows"
    done
}

# --- system calls that a container forbids

forbids_what_it_knows() { # forbid itself: where it forbade nothing, the cases below would pass
    for rule in EPERM:mbnd EPERM:move_pages,mbnd EPERM: EPERM mbind EDOM:mbind; do
        run "$forbid" "$rule" true
        has_status 2
    done
}

no_affinity() {
    for calls in sched_setaffinity sched_setaffinity,sched_getaffinity; do
        works "$forbid" "EPERM:$calls" "$memtest" -m 0.01 -a 10000
        says '"not_pinned":"Operation not permitted"'
        warns 'memtest: warning: | (Operation not permitted)|sched_setaffinity'
    done
    # A warning that cannot be said harms neither the run nor its result.
    for closed in '2>&-' '2>/dev/full'; do
        # shellcheck disable=SC2016 # for the shell that becomes the program
        run "$forbid" EPERM:sched_setaffinity sh -c 'exec "$0" -m 0.01 -a 10000 -o "$1" '"$closed" "$memtest" \
            "$folder/result"
        has_status 0
        cp "$folder/result" "$folder/out"
        says '"not_pinned"'
        says_not 'memtest: '
    done
    processor=$(sed -n 's/.*"processors":{"ids":\[\([0-9]*\)\].*/\1/p' "$folder/out")
    refuses 2 "--cpu $processor: |: Operation not permitted" \
        "$forbid" EPERM:sched_setaffinity "$memtest" --cpu "$processor"
    [ "$(nproc)" -ge 2 ] || return 0
    works "$forbid" EPERM:sched_setaffinity "$memtest" -c -m 0.01 -a 10000
}

no_counters() {
    works "$forbid" EPERM:perf_event_open "$memtest" -m 0.01 -a 10000
    refuses 2 "--counters page-faults: |/proc/sys/kernel/perf_event_paranoid |: none" \
        "$forbid" EPERM:perf_event_open "$memtest" --counters page-faults
}

no_advice_on_memory() { # a kernel that knows the call and refuses it has memory all the same
    works "$forbid" EPERM:madvise "$memtest" -m 0.01 -a 10000
    refuses 1 '--pages 4k: |: Operation not permitted' \
        "$forbid" EPERM:madvise "$memtest" --pages 4k -m 0.01
    run "$forbid" EPERM:madvise "$memtest" tail --size 1 --samples 1600
    has_status 0
}

no_numa_calls() {
    works "$forbid" EPERM:mbind,move_pages "$memtest" -m 0.01 -a 10000
    for way in '--node 0 -m 0.01' 'nodes --size 0.01'; do
        # shellcheck disable=SC2086 # options and their values
        refuses 2 ' node 0: Operation not permitted|mbind' \
            "$forbid" EPERM:mbind,move_pages "$memtest" $way
    done
    echo 'an earlier run' >"$folder/earlier.csv"
    refuses 2 ' node 0: |mbind' "$forbid" EPERM:mbind "$memtest" --node 0 -m 0.01 -o "$folder/earlier.csv"
    grep -qx 'an earlier run' "$folder/earlier.csv" || fails 'the output file was emptied'
    warns_not 'memtest: warning: '
    works "$forbid" EPERM:move_pages "$memtest" nodes --size 0.01
    says '"nodes":{"ids":[0],"verified":false}'
    works "$forbid" EPERM:move_pages "$memtest" --node 0 -m 0.01 -a 10000
    says '"nodes":{"ids":[0],"verified":false}'
}

numa_calls_not_implemented() { # which is what a kernel for machines of one node says, and some containers on others
    calls=ENOSYS:mbind,move_pages
    nodes='mount -t tmpfs none /sys && mkdir -p /sys/devices/system/node && cd /sys/devices/system/node'
    one="$nodes && echo 0 >has_memory"
    two="$nodes && echo 0-1 >has_memory && echo Mems_allowed_list: 0-1 >status && mount --bind status /proc/\$\$/status"
    needs_mounts "$two"
    works with_mounts "$one" "$forbid" $calls "$memtest" --node 0 -m 0.01 -a 10000
    says '"nodes":{"ids":[0],"verified":false}'
    works with_mounts "$one" "$forbid" $calls "$memtest" nodes --size 0.01
    refuses 2 ' node 0: Function not implemented|mbind' \
        with_mounts "$two" "$forbid" $calls "$memtest" nodes --size 0.01
    for node in 0 1; do
        refuses 2 " node $node: Function not implemented|mbind" \
            with_mounts "$two" "$forbid" $calls "$memtest" --node $node -m 0.01
    done
    works with_mounts "$two" "$forbid" $calls "$memtest" -m 0.01 -a 10000
}

# --- files that are not there

no_sys() {
    hide='mount -t tmpfs none /sys'
    needs_mounts "$hide"
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000
    says_not '"caches"'
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000 --node 0
    refuses 2 '--node 1: |: 0' with_mounts "$hide" "$memtest" --node 1
    refuses 2 '--pages 2m: |2 MiB|: none)' with_mounts "$hide" "$memtest" --pages 2m
    works with_mounts "$hide" "$memtest" nodes -q --size 1
}

no_proc() {
    hide='mount -t tmpfs none /proc'
    needs_mounts "$hide"
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000
    says '# pages got: not known'
    says_not '# cpu: '
    refuses 2 '--max-size' with_mounts "$hide" "$memtest" -m 0.0001
}

no_cpu_model() {
    : >"$folder/cpuinfo"
    hide="mount --bind $folder/cpuinfo /proc/cpuinfo"
    needs_mounts "$hide"
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000
    [ -r /proc/device-tree/model ] || says_not '# cpu: '
}

read_only_root() {
    protect='mount -o remount,bind,ro /'
    needs_mounts "$protect"
    works with_mounts "$protect" "$memtest" -m 0.01 -a 10000
    refuses 1 ' /memtest.csv: Read-only file system' \
        with_mounts "$protect" "$memtest" -m 0.01 -o /memtest.csv
}

mounted_output() { # as a container's volume: found out before anything is measured
    echo 'an earlier run' >"$folder/mounted.csv"
    : >"$folder/source.csv"
    mount_on="mount --bind $folder/source.csv $folder/mounted.csv"
    needs_mounts "$mount_on"
    refuses 2 "--output $folder/mounted.csv" with_mounts "$mount_on" "$memtest" -m 0.01 -o "$folder/mounted.csv"
    [ ! -e "$folder/mounted.csv.partial" ] || fails 'something was measured'
}

no_huge_pages() {
    hide='mount -t tmpfs none /sys/kernel/mm'
    needs_mounts "$hide"
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000
    works with_mounts "$hide" "$memtest" -m 0.01 -a 10000 --pages 4k
    for kind in '2m 2' '1g 1'; do
        refuses 2 "--pages ${kind% *}: |(it has: " \
            with_mounts "$hide" "$memtest" --pages "${kind% *}"
    done
}

# --- systems that report several kinds of cores

hybrid() {
    first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
    [ "$(nproc)" -ge 2 ] || skip 'a single processor'
    rest=$((first + 1))-1023
    pmus=/sys/bus/event_source/devices
    kinds="mount -t tmpfs none /sys && mkdir -p $pmus/cpu_core $pmus/cpu_atom &&
        echo $first >$pmus/cpu_core/cpus && echo $rest >$pmus/cpu_atom/cpus"
    needs_mounts "$kinds"
    for kind in P-core E-core; do
        run with_mounts "$kinds" "$memtest" -r -m 0.03 --stats --cpu "$kind" -o "$folder/$kind.csv"
        has_status 0
        grep -qxF "# core kind: $kind" "$folder/$kind.csv" || fails "no core kind $kind"
    done
    refuses 2 'core kind (P-core before, E-core now)' "$memtest" compare "$folder/P-core.csv" "$folder/E-core.csv"
    for kind in P-core E-core; do # whichever the process runs on
        run with_mounts "$kinds" "$memtest" compare --measure --tries 1 -o "$folder/new.json" "$folder/$kind.csv"
        case $status in 1 | 2) fails "status $status" ;; esac
        grep -qF "\"core_kinds\": [\"$kind\"]" "$folder/new.json" || fails "measured on another kind than $kind"
    done
    [ -e $pmus/cpu_core ] ||
        refuses 2 '--cpu P-core' "$memtest" compare --measure -o "$folder/none.json" "$folder/P-core.csv"
}

# --- coarse clocks

clock_of_1us() {
    works env LD_PRELOAD="$coarse_clock" CLOCK_STEP_NS=1000 "$memtest" -m 0.01 -a 3000000 --stats
    says_not coarse
    # A size of 3 ms does not hold 32 batches that are long enough for such a clock.
    awk -F ', ' '/^0, / && $10 < 32 { found = 1 } END { exit !found }' "$folder/out" || fails 'no clock of 1 us'
}

clock_of_10ms() {
    refuses 2 "clock|10000 us" \
        env LD_PRELOAD="$coarse_clock" CLOCK_STEP_NS=10000000 "$memtest"
}

slow_clock() {
    case $(uname -m) in x86_64 | aarch64 | riscv64) ;; *) skip 'the core clock is not measured here' ;; esac
    refuses 2 "clock|GHz" env LD_PRELOAD="$coarse_clock" CLOCK_SLOWER=100 "$memtest" -m 0.01
}

standing_clock() { # from the start, and in the middle of each command that measures: it ends, and says why
    refuses 2 'clock stands still' env LD_PRELOAD="$coarse_clock" CLOCK_STOPS_AFTER=0 timeout -s KILL 60 "$memtest"
    for arguments in '-m 1' '-r -m 1 -c' 'tlb -m 1' 'tail --size 1 --samples 16000' 'prefetch' 'nodes --size 1'; do
        # shellcheck disable=SC2086 # a command and its options
        run env LD_PRELOAD="$coarse_clock" CLOCK_STOPS_AFTER=600 timeout -s KILL 120 "$memtest" $arguments
        case $status in 1 | 2) ;; *) fails "status $status" ;; esac
        warns 'clock stands still'
    done
}

# --- processors that others take away

lost_processor() { # while a command runs: it ends, and names the processor
    needs_two_processors
    command -v taskset >/dev/null || skip 'there is no taskset'
    all=$(taskset -cp $$ | sed 's/.*: *//')
    for arguments in '-r -m 64 -a 900000000' '-m 64 -a 90000000 -t 2' 'tail --size 64 --samples 900000000' \
        'loaded --size 64 --loads 64' tlb prefetch; do
        # shellcheck disable=SC2086 # a command and its options
        "$memtest" $arguments >"$folder/out" 2>"$folder/error" &
        process=$!
        while kill -0 $process 2>/dev/null; do # its threads may use all processors again
            for thread in "/proc/$process/task"/*; do
                grep -qsx 'Cpus_allowed_list:[^0-9]*[0-9]*' "$thread/status" || continue
                taskset -pc "$all" "${thread##*/}" >/dev/null 2>&1
            done
            sleep 0.1
        done
        wait $process
        status=$?
        echo "\$ memtest $arguments, while its threads are moved"
        cat "$folder/error"
        has_status 1
        warns ' was taken away'
    done
}

# --- calls of the system that fail

# Which calls fail, one in each run: of the first ones each, then ever fewer; with MEMTEST_ALL_FAULTS set, every one.
next_call() { # NUMBER
    if [ -n "${MEMTEST_ALL_FAULTS:-}" ]; then echo $(($1 + 1)); else echo $(($1 + 1 + $1 / ${2:-4})); fi
}

sizes_in() { # FILE
    cut -d, -f1,2 "$1" | grep '^[01],'
}

check_outcome() { # $status, $folder/error, and whether $folder/result and what else is left hold what they have to
    left=$(sed -n 's/^memtest: warning: the run is incomplete; its result so far is in //p' "$folder/error")
    case $status in
    0)
        sizes_in "$folder/result" | cmp -s - "$folder/sizes" || fails 'rows are missing'
        ;;
    1)
        grep -q '^memtest: ' "$folder/error" || fails 'no reason given'
        grep -qx 'an earlier run' "$folder/result" || fails 'the earlier result is gone'
        ;;
    *) fails "status $status" ;;
    esac
    for file in "$folder"/result.*; do
        [ "$file" = "$left" ] || [ ! -e "$file" ] || fails "$file is left"
    done
    if [ -n "$left" ]; then # the first rows, one after the other
        sizes_in "$left" | cmp "$folder/sizes" - 2>&1 | grep -vE "^cmp: EOF on '?-" && fails 'a row was lost'
    fi
}

fail_each() { # KIND THINNING ARGUMENT...: lets calls of the kind fail in runs with these arguments
    kind=$1 thinning=$2
    shift 2
    call=1 failed=0 ended_well=0
    while :; do
        for others in '' +; do
            echo 'an earlier run' >"$folder/result"
            rm -f "$folder/struck" "$folder"/result.*
            run timeout -s KILL 30 env LD_PRELOAD="$fail_call" FAIL_CALL="$kind:$call$others" \
                FAIL_CALL_LOG="$folder/struck" "$memtest" "$@" -o "$folder/result"
            check_outcome
            [ -e "$folder/struck" ] || break 2
            failed=$((failed + 1))
            [ "$status" -ne 0 ] || ended_well=$((ended_well + 1))
        done
        call=$(next_call "$call" "$thinning")
    done
    echo "$kind: $failed runs with failed calls, up to call $call; $ended_well ended well all the same"
    [ "$failed" -gt 0 ] || fails 'no call failed'
}

failing() { # KIND [THINNING]
    needs_two_processors
    "$memtest" -c -m 0.002 -a 1000 >"$folder/result"
    sizes_in "$folder/result" >"$folder/sizes"
    fail_each "$1" "${2:-4}" -c -m 0.002 -a 1000 --stats --levels
}

fail_in_command() { # THINNING ARGUMENT...: an allocation fails in each run, which ends as without or with a sentence
    thinning=$1 call=1
    shift
    "$memtest" "$@" >"$folder/out" 2>"$folder/error"
    usual_status=$?
    [ "$usual_status" -ne 2 ] || fails "refused: $*"
    while :; do
        rm -f "$folder/struck"
        run timeout -s KILL 60 env LD_PRELOAD="$fail_call" FAIL_CALL="malloc:$call" \
            FAIL_CALL_LOG="$folder/struck" "$memtest" "$@"
        [ -e "$folder/struck" ] || break
        case $status in
        "$usual_status" | 0) ;;
        1) grep -v '^memtest: warning: ' "$folder/error" | grep -q '^memtest: ' || fails "call $call: no reason given" ;;
        *) fails "call $call: status $status" ;;
        esac
        call=$(next_call "$call" "$thinning")
    done
    [ "$call" -gt 1 ] || fails 'no call failed'
}

failing_malloc_of_measuring_commands() {
    needs_two_processors
    for arguments in 'cores --cpu 0,1 --max-time 0.2' 'nodes --size 1' 'tail --size 1 --samples 100' 'tlb -m 1 --max-time 0.3' \
        'loaded --size 1 --loads 1 --max-time 0.3'; do
        # shellcheck disable=SC2086 # a command and its options
        fail_in_command 1 $arguments
    done
}

failing_malloc_of_reading_commands() {
    "$memtest" -r -m 1 -a 1000 --pages 4k >"$folder/small.csv"
    sed '/^# data: .*"run"/s/"page_bytes":4096/"page_bytes":2097152/' "$folder/small.csv" >"$folder/huge.csv"
    fail_in_command 2 levels "$folder/small.csv"
    cp "$folder/small.csv" "$folder/small2.csv"
    fail_in_command 2 compare "$folder/small.csv" "$folder/small2.csv"
    fail_in_command 2 translation "$folder/small.csv" "$folder/huge.csv"
    fail_in_command 2 plot "$folder/small.csv"
}

failing_malloc() { failing malloc 2; }
failing_late_malloc() { failing late-malloc 4; }
failing_mmap() { failing mmap; }
failing_open() { failing open 2; }
failing_write() { failing write; }
failing_thread() { failing thread; }
failing_finish() { failing finish; }

"$case_name"
[ "$failures" -eq 0 ]
