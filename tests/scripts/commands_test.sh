#!/bin/sh
# Tests what the scripts have in common, and that scripts/run never runs a program older than the sources:
# commands_test.sh PATH-OF-THE-TREE
set -u
export LC_ALL=C
tree=$1
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

# All but run, whose options are memtest's.
for script in "$tree"/scripts/*; do
    name=${script##*/}
    case $name in
    *.md | run) continue ;;
    mutants) command -v python3 >/dev/null || continue ;;
    esac
    "$script" --help >"$folder/out" 2>"$folder/error"
    same "$name --help ends with status 0" 0 $?
    grep -q -i '^usage: ' "$folder/out"
    same "$name --help says how it is used" 0 $?
    same "$name --help says nothing else" '' "$(cat "$folder/error")"
    [ "$name" != emulated-system ] || continue # hands on what it does not know
    "$script" --nonsense >"$folder/out" 2>"$folder/error"
    same "$name refuses what it does not know" 2 $?
    same "$name names it in a line" 1 "$(grep -c -e --nonsense "$folder/error")"
done

# A tree whose tools are fakes: CMake builds a program that prints its arguments, unless it is told to fail.
mkdir -p "$folder/bin" "$folder/fake/scripts"
cp "$tree/CMakeLists.txt" "$folder/fake/"
cp "$tree/scripts/run" "$tree/scripts/build" "$tree/scripts/quietly" "$folder/fake/scripts/"
printf '#!/bin/sh\n' >"$folder/fake/scripts/packages"
cat >"$folder/bin/cmake" <<'END'
#!/bin/sh
case $1 in
--version) echo "cmake version $CMAKE_IS" ;;
--preset) echo configuring ;;
--build)
    echo compiling
    mkdir -p "$2/src"
    printf '#!/bin/sh\necho "$*"\n' >"$2/src/memtest"
    chmod +x "$2/src/memtest"
    ;;
esac
[ "$1" != "${CMAKE_FAILS_AT-}" ]
END
cat >"$folder/bin/c++" <<'END'
#!/bin/sh
echo "$COMPILER_IS"
END
chmod +x "$folder/bin/cmake" "$folder/bin/c++" "$folder/fake/scripts/packages"
run_with_fakes() { # [VARIABLE=VALUE...]: what it prints, on standard output and then on standard error, and the status
    env CXX=c++ CMAKE_IS=3.22.0 COMPILER_IS='__clang_major__ 11' PATH="$folder/bin:$PATH" "$@" \
        "$folder/fake/scripts/run" --random 2>"$folder/error" | sed 's/^/out: /'
    cat "$folder/error"
}

same 'run builds, and runs the program with the options given' 'out: --random' "$(run_with_fakes)"
same 'a clang is known by its own version' 'out: --random' "$(run_with_fakes COMPILER_IS='14 4')"
for step in --preset --build; do
    run_with_fakes CMAKE_FAILS_AT=$step >"$folder/out"
    same "a program that was built before is not run where cmake $step fails" 0 "$(grep -c '^out:' "$folder/out")"
    grep -q '^compiling$\|^configuring$' "$folder/out"
    same "what cmake $step said is shown" 0 $?
done
rm -r "$folder/fake/build"
refusal() { run_with_fakes "$@" | sed "s|^$folder/fake/||"; }
same 'too old a CMake is one sentence with the version needed' \
    'scripts/build: CMake 3.18.4 is too old: memtest needs CMake 3.22 or newer' "$(refusal CMAKE_IS=3.18.4)"
same 'and so is too old a g++' \
    "scripts/build: the compiler 'c++' (g++ 10) is too old: memtest needs g++ 11, clang 14 or newer; CXX names another" \
    "$(refusal COMPILER_IS='__clang_major__ 10')"
same 'and too old a clang' \
    "scripts/build: the compiler 'c++' (clang 13) is too old: memtest needs g++ 11, clang 14 or newer; CXX names another" \
    "$(refusal COMPILER_IS='13 4')"
[ ! -e "$folder/fake/build" ]
same 'nothing is built then' 0 $?
same 'where a command is missing and cannot be installed, its package is named' \
    "packages: please install (Debian's package names): such-a-package" \
    "$(PATH=$folder "$tree/scripts/packages" no-such-command=such-a-package 2>&1 | sed 's|^.*/packages|packages|')"

if script -q -c true /dev/null >/dev/null 2>&1; then
    same 'on a terminal it is seen what is being done' 'compiling' \
        "$(env CXX=c++ CMAKE_IS=3.22.0 COMPILER_IS='14 4' PATH="$folder/bin:$PATH" \
            script -q -c "$folder/fake/scripts/build release" /dev/null | tr '\r' '\n' | grep -o compiling)"
else
    echo 'skipped: on a terminal it is seen what is being done: there are no pseudo-terminals'
fi

# The tree itself, with a fault in a source file, as if cloned just now and as if built some time ago.
mkdir "$folder/broken"
cp -R "$tree/CMakeLists.txt" "$tree/CMakePresets.json" "$tree/LICENSE" "$tree/README.md" "$tree/include" "$tree/src" \
    "$tree/scripts" "$folder/broken/"
cp "$folder/fake/scripts/packages" "$folder/broken/scripts/"
echo 'this is no C++' >>"$folder/broken/src/base/error.cpp"
for state in fresh built; do
    ended=well
    "$folder/broken/scripts/run" --version >"$folder/out" 2>"$folder/error" || ended=badly
    same "$state, a fault in a source file makes run fail" badly $ended
    grep -q 'error.cpp:[0-9]*:[0-9]*: error: ' "$folder/error"
    same "$state, the compiler's message is shown" 0 $?
    same "$state, nothing is run" '' "$(cat "$folder/out")"
    cp "$folder/bin/cmake" "$folder/broken/build/release/src/memtest" # a program from before, which --version runs
done

[ "$failures" -eq 0 ]
