"""Tests the pieces of scripts/lab/mutants on a small source: mutants_test.py PATH-OF-THE-TREE COMPILER"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TREE, COMPILER = map(pathlib.Path, sys.argv[1:3])
LOADER = importlib.machinery.SourceFileLoader("mutants", str(TREE / "scripts/lab/mutants"))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", LOADER))
LOADER.exec_module(mutants)

SAMPLE = """#include <algorithm>
constexpr int most = 3; // 4 < 5
struct Plan {
    int visits = 7;
    bool quiet = false;
};
int difference(int a, int b) { return a - b; }
int judged(int a, int b) {
    if (a < b && b > 0)
        return most;
    int sum = a + 2 * b;
    for (int i = 0; i != a; ++i)
        sum += 1;
    sum = std::max(sum, 4) % 1000;
    sum -= 64 >> 16U;
    return a == 9 ? difference(a, b) : sum;
}
constexpr int doubled(int a) { return 2 * a; }
static_assert(doubled(2) == 4);
int main(int argc, char**) {
    Plan plan;
    return judged(argc, plan.visits) == 3 && doubled(plan.visits) == 14 ? 0 : 1;
}
"""
SOURCE = mutants.rules.Source("src/chain/sample.cpp", SAMPLE)
FAULTS = list(SOURCE.faults())
CHANGES = [fault.change for fault in FAULTS]


def fault_of(change):
    return FAULTS[CHANGES.index(change)]


class Rules(unittest.TestCase):
    def test_each_finds_its_faults(self):
        for change in (
                "boundary: a < b -> a <= b", "negation: a < b -> a >= b", "boundary: b > 0 -> b >= 0",
                "negation: i != a -> i == a", "negation: a == 9 -> a != 9",
                "negation: a < b && b > 0 -> !(a < b && b > 0)", "negation: a == 9 -> !(a == 9)",
                "logic: a < b && b > 0 -> a < b || b > 0", "logic: a < b && b > 0 -> a < b",
                "arithmetic: a + 2 * b -> a - 2 * b", "arithmetic: 2 * b -> 2 / b", "arithmetic: sum += 1 -> sum -= 1",
                "arithmetic: ++i -> --i", "arithmetic: std::max(sum, 4) % 1000 -> std::max(sum, 4) / 1000",
                "constant: 3 -> 4", "constant: 7 -> 8", "constant: false -> true", "constant: 1000 -> 2000",
                "constant: 64 -> 128", "constant: 16U -> 17U",
                "call: std::max(sum, 4) -> std::min(sum, 4)", "swap: a, b -> b, a",
                "removal: sum += 1; -> ;", "removal: sum = std::max(sum, 4) % 1000; -> ;",
                "early return: return {}; in judged", "early return: return {}; in difference"):
            self.assertIn(change, CHANGES)

    def test_what_changes_nothing_or_cannot_be_compiled_is_left_alone(self):
        for part in ("swap: sum, 4", "removal: Plan", "int sum", "4 < 5", "doubled(2)"):
            self.assertFalse([change for change in CHANGES if part in change])
        source = mutants.rules.Source("src/chain/t.cpp", "std::array<int, 3> of() { return std::array<int, 3>{}; }\n")
        self.assertEqual(["early return"], [fault.kind for fault in source.faults()])
        asserted = mutants.rules.Source("src/chain/t.cpp", "static_assert([] { return 1 < 2; }());\n")
        self.assertEqual([], list(asserted.faults()))

    def test_wiring_of_several_takes_one_for_all(self):
        source = mutants.rules.Source("src/chain/t.cpp", "int of(const std::vector<int>& all) {\n"
                                      "    int sum = 0;\n    bool agree = true;\n    int most = 0;\n"
                                      "    for (const int one : all) {\n        sum += one;\n"
                                      "        agree = agree && one > 2;\n        most = std::max(most, one);\n    }\n"
                                      "    for (unsigned i = 0; i < 3; ++i)\n        sum = all[i];\n"
                                      "    sum = 4;\n    return agree ? sum + most : all[0];\n}\n")
        changes = [fault.change for fault in source.faults()]
        for change in ("last decides: sum += one -> sum = one", "last decides: agree = agree && one > 2 -> agree = one > 2",
                       "last decides: most = std::max(most, one) -> most = one", "only the first: break; in of",
                       "first of several: i -> 0", "kept from the first: most = std::max(most, one);",
                       "kept from the first: sum = all[i];"):
            self.assertIn(change, changes)
        self.assertNotIn("kept from the first: sum = 4;", changes)

    def test_a_requirement_has_no_faults_but_what_it_selects_has(self):
        source = mutants.rules.Source("src/chain/t.cpp", "template<class T> int size_of(const T& a) {\n"
                                      "    if constexpr (requires(T b) { b.size() + 1; })\n"
                                      "        return size(a) - 3;\n"
                                      "    const bool grows = requires { a.grow(2) == 5; };\n"
                                      "    return grows ? 7 : 8;\n}\n"
                                      "template<class T>\nconcept Sized = requires(T a) { a.size() + 4; };\n"
                                      "int plain(int a) { return a - 6; }\n")
        faults = list(source.faults())
        self.assertFalse([str(fault) for fault in faults if fault.line in (2, 4, 8)])
        self.assertEqual({1, 3, 5, 9}, {fault.line for fault in faults})

    def test_what_the_compiler_may_run_is_told_apart(self):
        source = mutants.rules.Source("src/chain/t.cpp", "consteval int made() { return 2; }\n"
                                      "constexpr std::array<int, 1> table{made() * 5};\n"
                                      "int local() {\n    constexpr int most = 7;\n    return most + 9;\n}\n"
                                      "constinit int first = 11;\nint of_table() { return table[0]; }\n")
        constants = {fault.change: fault.is_constant for fault in [*reversed(FAULTS), *source.faults()]}
        for change, is_constant in (("constant: 2 -> 3", True), ("constant: 5 -> 6", True), ("constant: 7 -> 8", True),
                                    ("constant: 11 -> 22", True), ("arithmetic: 2 * a -> 2 / a", True),
                                    ("constant: 9 -> 10", False), ("arithmetic: a - b -> a + b", False)):
            self.assertEqual(is_constant, constants[change], change)

    def test_a_fault_names_its_function_and_line(self):
        fault = fault_of("boundary: a < b -> a <= b")
        self.assertEqual(("judged", 9), (fault.function, fault.line))


class Samples(unittest.TestCase):
    def test_the_same_seed_gives_the_same_sample_without_overlaps(self):
        one, other, third = (mutants.choose(FAULTS, 8, seed, list)[0] for seed in (1, 1, 2))
        self.assertEqual(one, other)
        self.assertNotEqual(one, third)
        self.assertEqual(8, len(one))
        self.assertFalse([1 for a in one for b in one if a is not b and a.overlaps(b)])

    def test_layers_share_the_sample_evenly(self):
        others = list(mutants.rules.Source("src/cli/other.cpp", SAMPLE).faults())
        chosen = mutants.choose(FAULTS + others, 8, 1, list)[0]
        self.assertEqual([4, 4], [sum(fault.layer == layer for fault in chosen) for layer in ("chain", "cli")])

    def test_another_fault_takes_the_place_of_one_that_does_not_compile(self):
        chosen, dropped = mutants.choose(FAULTS, 8, 1, lambda faults: [f for f in faults if f.kind != "negation"])
        self.assertEqual(8, len(chosen))
        self.assertGreater(dropped, 0)

class Switches(unittest.TestCase):
    def built(self, folder, faults, alone=None):
        mutants.BUILD = folder
        (folder / "fault.hpp").write_text(mutants.SWITCH.replace("BYTES", "100"))
        text = mutants.with_faults(SOURCE, list(enumerate(faults, 1)), alone)
        program = folder / "program"
        made = subprocess.run([COMPILER, "-std=c++20", "-w", "-x", "c++", "-", "-o", program], input=text, text=True,
                              capture_output=True)
        self.assertEqual("", made.stderr)
        return lambda **variables: subprocess.run([program], env=variables).returncode

    def test_one_program_holds_several_faults_and_records_those_that_are_reached(self):
        faults = [fault_of(change) for change in
                  ("boundary: a < b -> a <= b", "arithmetic: a - b -> a + b", "arithmetic: 2 * a -> 2 / a",
                   "constant: 7 -> 8", "early return: return {}; in judged", "constant: 3 -> 4")]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run = self.built(folder, faults)
            reached = folder / "reached"
            reached.write_bytes(bytes(100))
            without = run(MEMTEST_REACHED=str(reached))
            numbers = [number for number, is_set in enumerate(reached.read_bytes()) if is_set]
            by_fault = [run(MEMTEST_FAULT=str(number)) for number in range(1, len(faults) + 1)]
            alone = self.built(folder, faults, faults[-1])()
        self.assertEqual((0, [1, 3, 4, 5]), (without, numbers))
        self.assertEqual([0, 0, 1, 1, 1, 0], by_fault)
        self.assertEqual(1, alone)

    def test_a_negated_optional_is_a_condition_and_no_optional(self):
        source = mutants.rules.Source("src/chain/t.cpp", "int f(std::optional<int> a) {\n    return a ? *a : 0;\n}\n")
        negation = next(fault for fault in source.faults() if fault.kind == "negation")
        self.assertEqual("(memtest_fault(1) ? (!(a)) : (static_cast<bool>(a)))", negation.switched(1))

    def test_an_error_of_the_whole_build_is_that_of_the_fault_at_its_line(self):
        faults = [fault_of(change) for change in ("boundary: a < b -> a <= b", "arithmetic: a - b -> a + b")]
        message = f"/copy/{SOURCE.path}:9:4: error: no match\n{SOURCE.path}:7:1: note: required from here\n"
        self.assertEqual(faults[:1], mutants.faults_at(message, list(enumerate(faults, 1))))


class Verdicts(unittest.TestCase):
    """A program with tests that fail as a shell script says."""

    def program_of(self, folder, script):
        program = pathlib.Path(folder) / "program"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        return program

    def timed(self, name, seconds):
        test = mutants.Test.__new__(mutants.Test)
        test.name, test.seconds = name, seconds
        return test

    def verdict(self, script, number):
        with tempfile.TemporaryDirectory() as folder:
            return mutants.try_out(self.program_of(folder, script), number, [self.timed("Sizes.Grow", 0)], set())

    def test_a_fault_is_noticed_by_a_test_that_fails_with_it_only(self):
        fails_with_1 = '[ "${MEMTEST_FAULT-}" != 1 ] || { echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1; }\n'
        self.assertEqual("Sizes.Grow", self.verdict(fails_with_1, 1))
        self.assertIsNone(self.verdict(fails_with_1, 2))
        self.assertIsNone(self.verdict('echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1\n', 1))

    def test_where_the_program_cannot_do_without_the_fault_the_test_has_to_fail_twice(self):
        self.assertEqual("Sizes.Grow", self.verdict('echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1\n', 0))
        self.assertIsNone(self.verdict(
            'rmdir "$0.once" 2>/dev/null || { mkdir "$0.once"; echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1; }\n', 0))

    def test_the_tests_of_the_own_file_run_first_then_the_quick_ones_and_long_ones_alone(self):
        tests = [self.timed(*each) for each in
                 (("A.Long", 9), ("B.Quick", 0), ("Own.Half", 0.5), ("C.Half", 0.5), ("X/D.Quick/1", 0))]
        names = [[test.name for test in group] for group in mutants.in_groups(tests, {"Own"})]
        self.assertEqual([["Own.Half"], ["B.Quick", "X/D.Quick/1"], ["C.Half"], ["A.Long"]], names)
        self.assertEqual([200, 200, 100], [len(group) for group in mutants.in_groups(tests[1:2] * 500, set())])

    def test_a_crash_and_a_hang_are_noticed(self):
        self.assertEqual("status -11", self.verdict("kill -SEGV $$\n", 1))
        with tempfile.TemporaryDirectory() as folder:
            program = self.program_of(folder, "sleep 60\n")
            self.assertEqual("the time limit", mutants.run_tests(program, ["Sizes.Grow"], 0.1))

    def test_the_report_lists_survivors_and_the_score_of_each_layer(self):
        lines = list(mutants.report([(FAULTS[0], "Sizes.Grow", ["Sizes.Grow"]), (FAULTS[1], None, [])], 3))
        self.assertIn(f"survived {FAULTS[1]}; reached by no test", lines)
        self.assertIn("chain: 1 of 2 noticed, 50 %", lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
