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

for script in "$tree"/scripts/* "$tree"/scripts/lab/*; do
    name=${script##*/}
    case $name in
    *.md | *.py | *.sh | lab | __pycache__) continue ;;
    esac
    case $(head -n 1 "$script") in
    *python3) command -v python3 >/dev/null || continue ;;
    esac
    "$script" --help >"$folder/out" 2>"$folder/error"
    same "$name --help ends with status 0" 0 $?
    grep -q -i '^usage: ' "$folder/out"
    same "$name --help says how it is used" 0 $?
    same "$name --help says nothing else" '' "$(cat "$folder/error")"
    case $name in
    run) continue ;; # hands on what it does not know
    esac
    "$script" --nonsense >"$folder/out" 2>"$folder/error"
    same "$name refuses what it does not know" 2 $?
    same "$name names it in a line" 1 "$(grep -c -e --nonsense "$folder/error")"
done

# A tree whose tools are fakes: CMake builds a program that prints its arguments, unless it is told to fail.
mkdir -p "$folder/bin" "$folder/fake/scripts"
cp "$tree/CMakeLists.txt" "$folder/fake/"
cp "$tree/scripts/usage.sh" "$tree/scripts/run" "$tree/scripts/build" "$tree/scripts/quietly" "$folder/fake/scripts/"
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
mkdir "$folder/user"
printf '#!/bin/sh\necho 1000\n' >"$folder/user/id"
printf '#!/bin/sh\n' >"$folder/user/apt-get"
chmod +x "$folder/user/id" "$folder/user/apt-get"
same 'who may not install is told all packages in one line that can be copied' \
    'packages: please install as root: apt-get update && apt-get install a b' \
    "$(PATH=$folder/user "$tree/scripts/packages" no-such-command=a nor-this=b 2>&1 | sed 's|^.*/packages|packages|')"

PATH=$folder/user "$(command -v cmake)" -D CPACK_GENERATOR=DEB -P "$tree/src/debian.cmake" >"$folder/out" 2>&1
same 'no package without dependencies is made where the tools that find them are missing' 1 \
    "$(grep -c 'cpack -G DEB needs dpkg-shlibdeps and file: install dpkg-dev and file' "$folder/out")"

# A ctest whose tests end in each way.
mkdir -p "$folder/fake/build/tests"
cp "$tree/scripts/run-tests" "$folder/fake/scripts/"
cat >"$folder/bin/ctest" <<'END'
#!/bin/sh
cat <<'SAID'
test 1
      Start 1: tests.1
1: [ RUN      ] Sizes.GrowByHalf
1: said by a test[       OK ] Sizes.GrowByHalf (3 ms)
2: [ RUN      ] All/Sizes.ASweepOf3SizesIsWhole/1
2: tests/a_test.cpp:12: Failure
2: Expected equality of these values:
1: [ RUN      ] Plots.ShowLevels
1: tests/b_test.cpp:7: Skipped
1: gnuplot is not installed
1: [  SKIPPED ] Plots.ShowLevels (0 ms)
1: [  SKIPPED ] 1 test, listed below:
1: [  SKIPPED ] Plots.ShowLevels
1/6 Test #1: tests.1 .........................   Passed    0.01 sec
2: [  FAILED  ] All/Sizes.ASweepOf3SizesIsWhole/1, where GetParam() = 3 (2 ms)
2: [ RUN      ] Teams.End
2: [       OK ] Teams.End (3 ms)
2: [  FAILED  ] 1 test, listed below:
2: [  FAILED  ] All/Sizes.ASweepOf3SizesIsWhole/1, where GetParam() = 3
2/6 Test #2: tests.2 .........................***Failed    0.02 sec
3: [ RUN      ] Teams.Begin
3/6 Test #3: tests.3 .........................Subprocess aborted***Exception:   0.02 sec
4: [ RUN      ] Teams.Go
4: [       OK ] Teams.Go (3 ms)
4/6 Test #4: tests.4 .........................***Failed    0.02 sec
5: skipped: there is no zsh
5/6 Test #5: completions.zsh ..................***Skipped   0.02 sec
6/6 Test #6: scripts.end .....................***Timeout  60.02 sec

Total Test time (real) =  61.50 sec
SAID
END
chmod +x "$folder/bin/ctest"
same 'of tests a line tells each failure, each skip with its reason, and all together' \
    'skipped: Plots.ShowLevels: gnuplot is not installed
FAILED: All/Sizes.ASweepOf3SizesIsWhole/1: tests/a_test.cpp:12: Failure
FAILED: Teams.Begin: Subprocess aborted, and the tests after it in tests.3 did not run
FAILED: tests.4: Failed at its end
skipped: completions.zsh: there is no zsh
FAILED: scripts.end: Timeout
tests: 3 passed, 2 skipped, 4 failed in 62 s; build/tests/tests.log' \
    "$(PATH="$folder/bin:$PATH" "$folder/fake/scripts/run-tests" tests)"
PATH="$folder/bin:$PATH" "$folder/fake/scripts/run-tests" tests >/dev/null
same 'and the status' 1 $?

# Which parts scripts/test runs, by what it starts.
mkdir -p "$folder/parts/scripts"
cp "$tree/scripts/usage.sh" "$tree/scripts/test" "$folder/parts/scripts/"
for name in packages build run-tests; do
    # shellcheck disable=SC2016 # for the inner shell
    printf '#!/bin/sh\n[ "$1" = --packages ] || echo "%s $1"\n' $name >"$folder/parts/scripts/$name"
    chmod +x "$folder/parts/scripts/$name"
done
parts() { "$folder/parts/scripts/test" "$@" 2>&1 | grep -v '^==\|^took: ' | sed '/^packages/d' | paste -s -d ' ' -; }
same 'test runs the tests, then the parts that options name' \
    'build tests run-tests tests build asan run-tests asan build tsan run-tests tsan' "$(parts --sanitize)"
same 'with --only it leaves out the tests' 'build tsan run-tests tsan' "$(parts --only --sanitize=tsan)"
same 'but builds them where a part uses them' 'build tests run-tests tests' "$(parts --only --slow)"

if script -q -c true /dev/null >/dev/null 2>&1; then
    same 'on a terminal it is seen what is being done' 'compiling' \
        "$(env CXX=c++ CMAKE_IS=3.22.0 COMPILER_IS='14 4' PATH="$folder/bin:$PATH" \
            script -q -c "$folder/fake/scripts/build release" /dev/null | tr '\r' '\n' | grep -o compiling)"
else
    echo 'skipped: on a terminal it is seen what is being done: there are no pseudo-terminals'
fi

same 'a log gets a line for each tenth of a build' 'make: 40 % make: 70 % make: 100 %' "$(
    printf '#!/bin/sh\nprintf "%%s Building\\n" "[  1%%]" "[ 42%%]" "[ 49%%]" "[ 71%%]" "[100%%]"\n' >"$folder/bin/make"
    chmod +x "$folder/bin/make"
    PATH="$folder/bin:$PATH" "$tree/scripts/quietly" make 2>&1 | paste -s -d ' ' -
)"

mkdir "$folder/tmp"
# shellcheck disable=SC2016 # for the inner shell
same 'all that quietly keeps lies in a folder that nobody else can read' '' "$(
    TMPDIR="$folder/tmp" "$tree/scripts/quietly" sh -c \
        'find "$TMPDIR" -mindepth 1 -maxdepth 1 ! "(" -type d -perm 700 ")"; exit 1' 2>&1
)"
same 'and nothing of it stays' '' "$(ls "$folder/tmp")"

# The tree itself, with a fault in a source file, as if cloned just now and as if built some time ago.
mkdir "$folder/broken"
cp -R "$tree/CMakeLists.txt" "$tree/CMakePresets.json" "$tree/LICENSE" "$tree/README.md" "$tree/include" "$tree/src" \
    "$tree/scripts" "$folder/broken/"
cp "$folder/fake/scripts/packages" "$folder/broken/scripts/"
echo 'this is no C++' >>"$folder/broken/src/chain/walk.cpp" # is compiled first
for state in fresh built; do
    ended=well
    "$folder/broken/scripts/run" --version >"$folder/out" 2>"$folder/error" || ended=badly
    same "$state, a fault in a source file makes run fail" badly $ended
    grep -q 'walk.cpp:[0-9]*:[0-9]*: error: ' "$folder/error"
    same "$state, the compiler's message is shown" 0 $?
    same "$state, nothing is run" '' "$(cat "$folder/out")"
    cp "$folder/bin/cmake" "$folder/broken/build/release/src/memtest" # a program from before, which --version runs
done

[ "$failures" -eq 0 ]
