#!/bin/sh
# Tests scripts/numa-matrix: numa_matrix_test.sh PATH-OF-NUMA-MATRIX PATH-OF-MEMTEST
set -u
export LC_ALL=C
matrix=$1
real_memtest=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

same() { # DESCRIPTION EXPECTED GOT
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        printf 'FAILED: %s\nexpected: %s\ngot:      %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

# A machine with processors 0-3 on node 0, 4-7 on node 1, and memory alone on node 2; a probe that answers with what it
# was asked for: a latency of PROCESSOR0NODE.
system=$folder/system
nodes=$system/sys/devices/system/node
mkdir -p "$nodes/node0" "$nodes/node1" "$nodes/node2" "$system/proc/self"
echo 0-2 >"$nodes/has_memory"
echo 0-1 >"$nodes/has_cpu"
echo 0-3 >"$nodes/node0/cpulist"
echo 4-7 >"$nodes/node1/cpulist"
allow() { # PROCESSORS NODES
    printf 'Cpus_allowed_list:\t%s\nMems_allowed_list:\t%s\n' "$1" "$2" >"$system/proc/self/status"
}
allow 2-7 0-7
cat >"$folder/memtest" <<'EOF'
#!/bin/sh
echo "$*" >>"$0.asked"
while [ $# -gt 0 ]; do
    case $1 in
    --cpu) cpu=$2 ;;
    --node) node=$2 ;;
    esac
    shift
done
echo '10000000 accesses per size'
echo "# node: $node (${NODE_IS:-verified})"
echo 'Thread, Mem size (MiB), Access latency (ns)'
echo "0, 64.00000, ${cpu}0$node"
EOF
chmod +x "$folder/memtest"

same 'a row for each node with processors, a column for each with memory' \
    "$(printf '%s\n' 'Processor node, Memory node 0 (ns), Memory node 1 (ns), Memory node 2 (ns)' \
        '0, 200, 201, 202' '1, 400, 401, 402')" \
    "$(NUMA_MATRIX_ROOT=$system MEMTEST=$folder/memtest "$matrix" 64 --pages thp 2>"$folder/error")"
same 'nothing is warned of where the kernel tells that the memory came from its node' '' "$(cat "$folder/error")"
same 'the probe is asked for one size, and gets the options' \
    '--random --cpu 2 --node 0 --precision 2 --min-size 64M --max-size 64M --pages thp' \
    "$(head -n 1 "$folder/memtest.asked")"

on_system() { # [NODE_IS]: what it prints, on whichever stream
    NODE_IS=${1:-verified} NUMA_MATRIX_ROOT=$system MEMTEST=$folder/memtest "$matrix" 64 2>&1
    echo "status $?"
}

same 'memory that the kernel does not tell the node of is warned of, once' \
    'numa-matrix: warning: not verified that the memory came from its nodes: the kernel does not tell' \
    "$(on_system 'not verified: the kernel does not tell where memory is' | grep numa-matrix)"

allow 5 0-7
same 'a node whose processors may not be used has no row' \
    "$(printf '%s\n' '1, 500, 501, 502' 'status 0')" "$(on_system | tail -n +2)"

allow 2-7 1-2
same 'a node whose memory may not be used has no column' \
    "$(printf '%s\n' 'Processor node, Memory node 1 (ns), Memory node 2 (ns)' '0, 201, 202' '1, 401, 402' 'status 0')" \
    "$(on_system)"

printf 'Cpus_allowed_list:\t5\n' >"$system/proc/self/status"
same 'a kernel without cpusets allows every node' \
    "$(printf '%s\n' '1, 500, 501, 502' 'status 0')" "$(on_system | tail -n +2)"

allow 8-9 0-7
same 'where no processor of a node may be used, that is said' \
    'numa-matrix: no processor of any node may be used: see Cpus_allowed_list in /proc/self/status
status 1' \
    "$(on_system)"

allow 2-7 3
same 'where no node with memory may be used, that is said' \
    'numa-matrix: no memory may be taken from any node: see Mems_allowed_list in /proc/self/status
status 1' \
    "$(on_system)"

rm "$system/proc/self/status"
same 'where the system does not say which processors may be used, that is said' \
    'numa-matrix: which processors may be used is not known: /proc/self/status has no Cpus_allowed_list
status 1' \
    "$(on_system)"

allow 5 0-1
mv "$nodes/has_memory" "$nodes/has_normal_memory"
same 'an old kernel tells of normal memory' \
    "$(printf '%s\n' 'Processor node, Memory node 0 (ns), Memory node 1 (ns)' '1, 500, 501' 'status 0')" "$(on_system)"

rm -r "$system/sys"
same 'a system that does not tell of nodes has one' \
    "$(printf '%s\n' 'Processor node, Memory node 0 (ns)' '0, 500' 'status 0')" "$(on_system)"
allow 5 1
same 'which is that of the cpuset where there is one' \
    "$(printf '%s\n' 'Processor node, Memory node 1 (ns)' '0, 501' 'status 0')" "$(on_system)"

same 'a probe that fails ends it with an error' 1 \
    "$(MEMTEST=false "$matrix" 64 >"$folder/out" 2>&1; echo $?)"
same 'an option in the place of the size is a usage error' 2 \
    "$(MEMTEST=$folder/memtest "$matrix" --pages thp >"$folder/out" 2>&1; echo $?)"

MEMTEST=$real_memtest "$matrix" 0.125 -a 20000 >"$folder/out" 2>"$folder/error"
same 'the real probe answers on this machine' 0 $?
same 'with a latency in every field' '' \
    "$(tail -n +2 "$folder/out" | grep -vE '^[0-9]+(, [0-9]+\.[0-9]{3})+$')"

[ "$failures" -eq 0 ]
