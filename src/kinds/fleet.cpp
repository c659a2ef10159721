#include "memtest/kinds/fleet.hpp"

#include "memtest/base/text.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/kinds/comparison_screen.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_taker.hpp"
#include "memtest/result/run_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace memtest {
namespace {

constexpr std::string_view kernel = "kernel";

/// Keeps a text in one field of CSV.
std::string in_field(const std::string& text) {
    std::string field = escaped(text);
    std::ranges::replace(field, ',', ';');
    return field;
}

List list_of(const std::vector<Difference>& differences) {
    List list;
    for (const Difference& difference : differences)
        list.emplace_back(Members{{"key", difference.key}, {"usual", difference.base}, {"here", difference.latest}});
    return list;
}

/// In what one machine is of another kind than a usual one; empty if it is of the same.
std::vector<Difference> differences_of_kind(const FleetMachine& usual, const FleetMachine& other) {
    const RunDescription& run = usual.file.results.front().run;
    const RunDescription& other_run = other.file.results.front().run;
    std::vector<Difference> found = differences(run, other_run, Is::machine);
    std::ranges::copy_if(differences(run, other_run, Is::system), std::back_inserter(found),
                         [](const Difference& difference) { return difference.key == kernel; });
    for (const Result& part : usual.file.results) {
        const auto same = std::ranges::find(other.file.results, part.part, &Result::part);
        if (same != other.file.results.end() && found.empty())
            found = differences(part.run, same->run, Is::setting);
    }
    return found;
}

/// In what the system of one differs from a usual one of its kind.
std::vector<Difference> differences_of_system(const FleetMachine& usual, const FleetMachine& other) {
    return differences(usual.file.results.front().run, other.file.results.front().run, Is::system);
}

std::vector<std::vector<std::size_t>> kinds_of_machines(const std::vector<FleetMachine>& machines) {
    std::vector<std::vector<std::size_t>> kinds;
    for (std::size_t place = 0; place < machines.size(); ++place) {
        const auto is_alike = [&](std::size_t other) {
            return differences_of_kind(machines[other], machines[place]).empty();
        };
        const auto same = std::ranges::find_if( // of all: one that does not state its processor is like any
            kinds, [&](const std::vector<std::size_t>& kind) { return std::ranges::all_of(kind, is_alike); });
        if (same == kinds.end())
            kinds.push_back({place});
        else
            same->push_back(place);
    }
    std::ranges::sort(kinds, [](const auto& a, const auto& b) { // those of as many machines in the order of the files
        return std::pair(b.size(), a.front()) < std::pair(a.size(), b.front());
    });
    return kinds;
}

/// One whose system is that of most of the kind; null if there is none.
const FleetMachine* usual_machine(const Fleet& fleet, const std::vector<std::size_t>& kind) {
    const auto is_usual = [&](std::size_t usual) {
        const auto alike = std::ranges::count_if(kind, [&](std::size_t other) {
            return differences_of_system(fleet.machines[usual], fleet.machines[other]).empty();
        });
        return 2 * static_cast<std::size_t>(alike) > kind.size();
    };
    const auto found = std::ranges::find_if(kind, is_usual);
    return found == kind.end() ? nullptr : &fleet.machines[*found];
}

/// Each once, with the names of the machines of which it says the same.
std::vector<Notice> fleet_remarks(const Fleet& fleet) {
    std::vector<std::pair<Notice, List>> said;
    for (const std::vector<std::size_t>& kind : fleet.kinds) {
        const bool is_judged = kind.size() >= fewest_machines;
        const FleetMachine* const usual =
            is_judged ? usual_machine(fleet, kind) : &fleet.machines[fleet.kinds.front().front()];
        for (const std::size_t place : usual == nullptr ? std::vector<std::size_t>{} : kind) {
            const FleetMachine& machine = fleet.machines[place];
            const std::vector<Difference> found =
                is_judged ? differences_of_system(*usual, machine) : differences_of_kind(*usual, machine);
            if (is_judged && found.empty())
                continue;
            Members values;
            if (!is_judged)
                values = {{"of_kind", kind.size()}, {"needed", fewest_machines}};
            if (!found.empty())
                values.set("differences", list_of(found));
            Notice notice(is_judged ? Code::machines_set_differently : Code::machines_not_compared, std::move(values));
            auto same = std::ranges::find(said, notice, &std::pair<Notice, List>::first);
            if (same == said.end())
                same = said.insert(same, {std::move(notice), List()});
            same->second.emplace_back(machine.name);
        }
    }
    std::vector<Notice> remarks;
    if (!fleet.unread.empty())
        remarks.push_back({Code::machines_unread, {{"names", fleet.unread}}});
    for (auto& [notice, names] : said)
        remarks.push_back(with_value(notice, "names", std::move(names)));
    return remarks;
}

/// Names machines by their whole path where files in several folders have the same name.
void tell_names_apart(std::vector<FleetMachine>& machines) {
    std::map<std::string, std::size_t> count;
    for (const FleetMachine& machine : machines)
        ++count[machine.name];
    for (FleetMachine& machine : machines) {
        if (count[machine.name] > 1)
            machine.name = in_field(machine.file.name);
    }
}

bool is_too_noisy(const FleetFigure& figure) {
    return figure.machines == 0;
}

std::size_t count_of_noisy(const Fleet& fleet) {
    return static_cast<std::size_t>(std::ranges::count_if(fleet.figures, is_too_noisy));
}

/// What sets a machine apart: what differs, and what it lacks.
bool is_odd(const FigureChange& figure) {
    return has_changed(figure) || is_lost(figure);
}

/// Compares each machine of a kind with the others. @return the places of those that differ
std::set<std::size_t> judge_kind(Fleet& fleet, const std::vector<std::size_t>& kind, double tolerance_percent) {
    std::vector<Stated> stated;
    for (const std::size_t place : kind)
        stated.emplace_back(fleet.machines[place].file);
    const Frame frame = frame_of(stated);
    for (Stated& machine : stated)
        machine.figures = figures_in(machine, frame);
    std::set<std::size_t> differ;
    std::map<std::pair<std::string, std::string>, FleetFigure> figures;
    for (std::size_t i = 0; i < kind.size(); ++i) {
        std::vector<const Stated*> others;
        for (const Stated& other : stated) {
            if (&other != &stated[i])
                others.push_back(&other);
        }
        for (const FigureChange& figure : changes_of(others, stated[i], tolerance_percent)) {
            if (!decides(figure) || figure.why == Why::not_in_base)
                continue;
            if (is_odd(figure))
                differ.insert(kind[i]);
            if (has_changed(figure) || is_missing(figure))
                fleet.rows.push_back({fleet.machines[kind[i]].name, figure});
            if (figure.quantity == Quantity::whole)
                continue;
            FleetFigure& compared =
                figures.try_emplace({figure.part, figure.name}, FleetFigure{fleet.machines[kind.front()].name, figure})
                    .first->second;
            compared.machines += is_told(figure) ? 1U : 0U;
            compared.differ += is_odd(figure) ? 1U : 0U;
        }
    }
    for (auto& [name, figure] : figures)
        fleet.figures.push_back(std::move(figure));
    return differ;
}

Notice fleet_verdict(const Fleet& fleet) {
    return {Code::fleet_verdict,
            {{"verdict", word_of(verdict_of(fleet))},
             {"machines", fleet.machines.size()},
             {"judged", fleet.judged},
             {"figures", fleet.figures.size()},
             {"too_noisy", count_of_noisy(fleet)},
             {"differ", fleet.differ},
             {"unread", fleet.unread.size()}}};
}

Members members_of(const FleetFigure& compared) {
    const FigureChange& of_kind = compared.figure;
    return {{"like", compared.like},
            {"part", of_kind.part},
            {"figure", of_kind.name},
            {"unit", facts_of(of_kind.quantity).unit},
            {"machines", compared.machines},
            {"differ", compared.differ},
            {"usual", figure(of_kind.base, significant(8))},
            {"noise_percent", figure(of_kind.noise_percent, decimals(1))},
            {"too_noisy", is_too_noisy(compared)}};
}

std::vector<Field<FleetRow>> fleet_fields() {
    std::vector<Field<FleetRow>> fields{column_of<&FleetRow::machine>("Machine", "machine", "name of its file")};
    for (const Field<FigureChange>& field : change_fields())
        fields.push_back({field.column, [get = field.get](const FleetRow& row) { return get(row.figure); }});
    return fields;
}

} // namespace

FleetMachine machine_in(StoredFile file, const std::vector<std::string>& names) {
    FleetMachine machine{.name = in_field(std::filesystem::path(file.name).stem().string()), .file = {}};
    const bool is_single = names.size() == 1 && kind_of_part(names.front()) != nullptr;
    if (!file.is_report && !names.empty() && !(is_single && file.results.front().kind == kind_of_part(names.front())))
        throw usage_error(fmt::format("--part {}: {} is no report; it holds {}", shown(names.front()), file.name,
                                      described(*file.results.front().kind)));
    if (file.is_report)
        keep_parts(file, names);
    machine.file = std::move(file);
    return machine;
}

Fleet judge_fleet(std::vector<FleetMachine> machines, double tolerance_percent, std::vector<std::string> unread) {
    Fleet fleet{.machines = std::move(machines), .unread = std::move(unread)};
    tell_names_apart(fleet.machines);
    fleet.kinds = kinds_of_machines(fleet.machines);
    for (const std::vector<std::size_t>& kind : fleet.kinds) {
        if (kind.size() < fewest_machines)
            break;
        fleet.differ += judge_kind(fleet, kind, tolerance_percent).size();
        fleet.judged += kind.size();
    }
    return fleet;
}

FleetVerdict verdict_of(const Fleet& fleet) {
    if (fleet.differ > 0 || !fleet.unread.empty())
        return FleetVerdict::differ;
    return count_of_noisy(fleet) == fleet.figures.size() ? FleetVerdict::cannot_tell : FleetVerdict::alike;
}

const KindOf<FleetRow> fleet_kind({.command = "fleet",
                                   .findings = {{"verdict", false},
                                                {"machines", false},
                                                {"machines_judged", false},
                                                {"machines_that_differ", false},
                                                {"figures_judged", false},
                                                {"figures_too_noisy", false},
                                                {"figures"}},
                                   .rows = "differences",
                                   .measured = false},
                                  fleet_fields());

Findings fleet_findings(const Fleet& fleet) {
    Findings told{.told = true};
    told.list.push_back({"verdict",
                         fleet_verdict(fleet),
                         {{"verdict", word_of(verdict_of(fleet))},
                          {"machines", fleet.machines.size()},
                          {"machines_judged", fleet.judged},
                          {"machines_that_differ", fleet.differ},
                          {"figures_judged", fleet.figures.size()},
                          {"figures_too_noisy", count_of_noisy(fleet)}}});
    for (const FleetFigure& compared : fleet.figures)
        told.list.push_back({.key = "", .members = {{"figures", List{members_of(compared)}}}});
    for (const Notice& notice : fleet_remarks(fleet))
        told.list.push_back(remark(notice));
    return told;
}

std::string fleet_table(const Fleet& fleet, bool all, std::optional<std::size_t> columns) {
    Screen screen{.verdict = capitalised(sentence_of(fleet_verdict(fleet))) + ".",
                  .header = {"Machine: figure", "Usual", "Here", "Change", "Noise", "Verdict"},
                  .notes = fleet_remarks(fleet)};
    for (const auto& [machine, figure] : fleet.rows) {
        std::vector<std::string> cells = cells_of(figure, fmt::format("{}: {}", machine, full_name(figure)));
        if (screen.rows.empty() || screen.rows.back() != cells) // as of missing sweeps of several numbers of chains
            screen.rows.push_back(std::move(cells));
    }
    return text_of(screen, all, columns);
}

} // namespace memtest
