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


class Lines(unittest.TestCase):
    def test_of_code_for_other_processors_are_left_out(self):
        source = "#if 0\nint other;\n#else\nint own;\n#endif\n\n#include <cstddef>\nint last;\n"
        text = subprocess.run([COMPILER, "-E", "-x", "c++", "-"], input=source, text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        self.assertEqual(mutants.lines_left(text), {4, 8})


class Rules(unittest.TestCase):
    def expect(self, *changes):
        for change in changes:
            self.assertIn(change, CHANGES)

    def test_comparisons_get_other_boundaries_and_are_negated(self):
        self.expect("boundary: a < b -> a <= b", "negation: a < b -> a >= b", "boundary: b > 0 -> b >= 0",
                    "negation: i != a -> i == a", "negation: a == 9 -> a != 9")

    def test_conditions_are_negated_and_lose_a_part(self):
        self.expect("negation: a < b && b > 0 -> !(a < b && b > 0)", "negation: a == 9 -> !(a == 9)",
                    "logic: a < b && b > 0 -> a < b || b > 0", "logic: a < b && b > 0 -> a < b")

    def test_arithmetic_keeps_the_precedence_of_its_operands(self):
        self.expect("arithmetic: a + 2 * b -> a - 2 * b", "arithmetic: 2 * b -> 2 / b", "arithmetic: sum += 1 -> sum -= 1",
                    "arithmetic: ++i -> --i", "arithmetic: std::max(sum, 4) % 1000 -> std::max(sum, 4) / 1000")

    def test_constants_units_and_defaults_change(self):
        self.expect("constant: 3 -> 4", "default: 7 -> 8", "default: false -> true", "unit: 1000 -> 10000",
                    "constant: 64 -> 128", "constant: 16U -> 17U")

    def test_calls_are_exchanged_and_their_arguments_swapped_unless_that_is_the_same(self):
        self.expect("call: std::max(sum, 4) -> std::min(sum, 4)", "swap: a, b -> b, a")
        self.assertNotIn("swap: sum, 4 -> 4, sum", CHANGES)

    def test_statements_are_removed_but_not_declarations(self):
        self.expect("removal: sum += 1; -> ;", "removal: sum = std::max(sum, 4) % 1000; -> ;")
        self.assertFalse([change for change in CHANGES if change.startswith("removal: Plan") or "int sum" in change])

    def test_functions_return_early(self):
        self.expect("early return: return {}; in judged", "early return: return {}; in difference")

    def test_wiring_of_several_takes_one_for_all(self):
        source = mutants.rules.Source("src/chain/t.cpp", "int of(const std::vector<int>& all, unsigned round) {\n"
                                      "    int sum = 0;\n    bool agree = true;\n    int most = 0;\n"
                                      "    for (const int one : all) {\n        sum += one;\n"
                                      "        agree = agree && one > 2;\n        most = std::max(most, one);\n    }\n"
                                      "    for (unsigned i = 0; i < 3; ++i)\n        sum = all[i];\n"
                                      "    const int role = round % 2 == 0 ? sum : most;\n    sum = 4;\n"
                                      "    return agree ? role : all[0];\n}\n")
        changes = [fault.change for fault in source.faults()]
        for change in ("last decides: sum += one -> sum = one", "last decides: agree = agree && one > 2 -> agree = one > 2",
                       "last decides: most = std::max(most, one) -> most = one", "only the first: break; in of",
                       "first of several: i -> 0", "same role in all rounds: round % 2 == 0 -> true",
                       "kept from the first: most = std::max(most, one);", "kept from the first: sum = all[i];"):
            self.assertIn(change, changes)
        self.assertNotIn("kept from the first: sum = 4;", changes)

    def test_comments_templates_and_static_assertions_are_left_alone(self):
        self.assertFalse([change for change in CHANGES if "4 < 5" in change or "doubled(2)" in change])
        source = mutants.rules.Source("src/chain/t.cpp", "std::array<int, 3> of() { return std::array<int, 3>{}; }\n")
        self.assertEqual(["early return"], [fault.kind for fault in source.faults()])
        asserted = mutants.rules.Source("src/chain/t.cpp", "static_assert([] { return 1 < 2; }());\n")
        self.assertEqual([], list(asserted.faults()))

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

    def test_tables_and_functions_of_the_compiler_get_a_build_of_their_own(self):
        source = mutants.rules.Source("src/chain/t.cpp", "consteval int made() { return 2; }\n"
                                      "constexpr std::array<int, 1> table{made() * 5};\n"
                                      "int local() {\n    constexpr int most = 7;\n    return most + 9;\n}\n"
                                      "constinit int first = 11;\nint of_table() { return table[0]; }\n")
        modes = {fault.change: fault.mode for fault in source.faults()}
        for change in ("constant: 2 -> 3", "constant: 5 -> 6", "constant: 7 -> 8", "constant: 11 -> 22"):
            self.assertEqual("rebuild", modes[change], change)
        self.assertEqual("run", modes["constant: 9 -> 10"])
        self.assertNotIn("early return: return {}; in made", modes)
        numbered = [(1, next(fault for fault in source.faults() if fault.change == "constant: 2 -> 3"))]
        probes = mutants.probes_of({source.path: source}, numbered)[source.path]
        text = mutants.with_faults(source, numbered, probes)
        self.assertIn("consteval int made() { return 2; }", text)
        self.assertIn("int of_table() { static_cast<void>(memtest_fault(1)); return", text)
        self.assertEqual(1, text.count("memtest_fault("), "only what uses the table reaches it")
        self.assertIn("consteval int made() { return 3; }", mutants.with_faults(source, numbered, alone=[numbered[0][1]]))

    def test_what_runs_in_the_compiler_is_told_apart(self):
        self.assertEqual("rebuild", fault_of("constant: 3 -> 4").mode)
        self.assertEqual("guarded", fault_of("arithmetic: 2 * a -> 2 / a").mode)
        self.assertEqual("guarded", fault_of("default: 7 -> 8").mode)
        self.assertEqual("run", fault_of("arithmetic: a - b -> a + b").mode)

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

    def test_at_most_a_twentieth_is_excluded_and_each_exclusion_is_of_use(self):
        path = SOURCE.path
        kept = mutants.without_excluded(FAULTS, mutants.read_exclusions(f"# comment\n{path}: difference: tried: often\n"))
        self.assertNotIn("difference", [fault.function for fault in kept])
        for function in ("judged", "no_such_function"):
            with self.assertRaises(SystemExit):
                mutants.without_excluded(FAULTS, {(path, function): "reason"})


class Switches(unittest.TestCase):
    def built(self, folder, faults, probes=(), alone=()):
        mutants.BUILD = folder
        (folder / "fault.hpp").write_text(mutants.SWITCH.replace("BYTES", "100"))
        text = mutants.with_faults(SOURCE, list(enumerate(faults, 1)), probes, alone)
        program = folder / "program"
        made = subprocess.run([COMPILER, "-std=c++20", "-w", "-x", "c++", "-", "-o", program], input=text, text=True,
                              capture_output=True)
        self.assertEqual("", made.stderr)

        def run(**variables):
            return subprocess.run([program], env=variables).returncode
        return run

    def test_one_program_holds_several_faults_and_records_those_that_are_reached(self):
        faults = [fault_of(change) for change in
                  ("boundary: a < b -> a <= b", "arithmetic: a - b -> a + b", "arithmetic: 2 * a -> 2 / a",
                   "default: 7 -> 8", "early return: return {}; in judged", "constant: 3 -> 4")]
        probes = mutants.probes_of({SOURCE.path: SOURCE}, list(enumerate(faults, 1)))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run = self.built(folder, faults, probes[SOURCE.path])
            reached = folder / "reached"
            reached.write_bytes(bytes(100))
            without = run(MEMTEST_REACHED=str(reached))
            numbers = [number for number, is_set in enumerate(reached.read_bytes()) if is_set]
            by_fault = [run(MEMTEST_FAULT=str(number)) for number in range(1, len(faults) + 1)]
            alone = self.built(folder, faults, alone=faults[-1:])()
        self.assertEqual((0, [1, 3, 4, 5, 6]), (without, numbers))
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

    def verdict(self, script, number):
        with tempfile.TemporaryDirectory() as folder:
            program = self.program_of(folder, script)
            test = mutants.Test.__new__(mutants.Test)
            test.name, test.seconds, test.reached = "Sizes.Grow", 0, [number]
            return mutants.try_out(program, number, [test], set())

    FAILS_WITH_1 = '[ "${MEMTEST_FAULT-}" != 1 ] || { echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1; }\n'

    def test_a_fault_is_noticed_by_the_test_that_fails(self):
        self.assertEqual("Sizes.Grow", self.verdict(self.FAILS_WITH_1, 1))

    def test_a_fault_survives_tests_that_pass(self):
        self.assertIsNone(self.verdict(self.FAILS_WITH_1, 2))

    def test_a_test_that_also_fails_without_the_fault_notices_nothing(self):
        self.assertIsNone(self.verdict('echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1\n', 1))

    def test_where_the_program_cannot_do_without_the_fault_the_test_has_to_fail_twice(self):
        self.assertEqual("Sizes.Grow", self.verdict('echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1\n', 0))
        self.assertIsNone(self.verdict(
            'rmdir "$0.once" 2>/dev/null || { mkdir "$0.once"; echo "[  FAILED  ] Sizes.Grow (0 ms)"; exit 1; }\n', 0))

    def test_the_tests_of_the_own_file_run_first_then_the_quick_ones_and_long_ones_alone(self):
        tests = []
        for name, seconds in (("A.Long", 9), ("B.Quick", 0), ("Own.Half", 0.5), ("C.Half", 0.5), ("X/D.Quick/1", 0)):
            tests.append(mutants.Test.__new__(mutants.Test))
            tests[-1].name, tests[-1].seconds = name, seconds
        names = [[test.name for test in group] for group in mutants.in_groups(tests, {"Own"})]
        self.assertEqual([["Own.Half"], ["B.Quick", "X/D.Quick/1"], ["C.Half"], ["A.Long"]], names)
        self.assertEqual([200, 200, 100], [len(group) for group in mutants.in_groups(tests[1:2] * 500, set())])

    def test_a_crash_and_a_hang_are_noticed(self):
        self.assertEqual("status -11", self.verdict("kill -SEGV $$\n", 1))
        with tempfile.TemporaryDirectory() as folder:
            program = self.program_of(folder, "sleep 60\n")
            self.assertEqual("the time limit", mutants.run_tests(program, ["Sizes.Grow"], 0.1))

    def test_the_report_lists_survivors_and_the_score_of_each_layer(self):
        lines = list(mutants.report([(FAULTS[0], "Sizes.Grow", ["Sizes.Grow"]), (FAULTS[1], None, [])], 3, 4))
        self.assertIn(f"survived {FAULTS[1]}; reached by no test", lines)
        self.assertIn("chain: 1 of 2 noticed, 50 %", lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
