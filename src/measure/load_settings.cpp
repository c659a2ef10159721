#include "memtest/measure/load_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memtest {

MachineBusy busy_under_load() {
    // NOLINTNEXTLINE(modernize-return-braced-init-list): the constructor is explicit
    return MachineBusy("nothing under load could be measured: other processes run on the processors; wait, or name "
                       "others with --load-cpu");
}

bool LoadSettings::start(const std::vector<int>& load_processors) {
    constexpr std::size_t most_visits = 10; // of 16 ms each, for which a hypervisor may take a processor away
    LoadSetting& peak = settings_.emplace_back(LoadSetting{.pause = 0});
    do {
        if (!visit(peak))
            return false;
        if (std::ranges::any_of(peak.visits.back(), counts))
            return true;
    } while (peak.visits.size() < most_visits);
    const auto& batches = peak.visits.back();
    for (const std::size_t thread : batches.front().absent) {
        if (std::ranges::all_of(batches, [&](const auto& batch) { return std::ranges::count(batch.absent, thread); }))
            throw MachineBusy(fmt::format("the load thread on processor {} did not run: another process uses it; wait, "
                                          "or choose others with --load-cpu",
                                          load_processors.at(thread)));
    }
    throw busy_under_load();
}

bool LoadSettings::visit(LoadSetting& setting) {
    auto batches = visit_(*setting.pause);
    if (batches.empty())
        return false;
    setting.visits.push_back(std::move(batches));
    ++visits_;
    return true;
}

bool LoadSettings::fill_gaps(std::size_t most) {
    for (auto pause = next_pause(); pause && most > 0; pause = next_pause(), --most) {
        if (!visit(settings_.emplace_back(LoadSetting{.pause = pause})))
            return false;
    }
    return true;
}

std::vector<LoadSetting*> LoadSettings::chosen() {
    std::vector<LoadSetting*> found;
    for (const Choice& choice : choices(known())) {
        if (choice.setting != nullptr)
            found.push_back(choice.setting);
    }
    return found;
}

std::vector<LoadSettings::Known> LoadSettings::known() {
    std::vector<Known> all;
    for (LoadSetting& setting : settings_) {
        if (const auto pair = pair_of(setting))
            all.push_back({.setting = &setting, .pair = *pair});
    }
    return all;
}

std::vector<LoadSettings::Choice> LoadSettings::choices(const std::vector<Known>& known) const {
    std::vector<LoadPair> pairs;
    for (const Known& one : known)
        pairs.push_back(one.pair);
    std::vector<Known> left = known;
    std::vector<Choice> made;
    for (const double wanted : want_(pairs))
        made.push_back({.wanted = wanted});
    for (std::size_t i = made.size(); i-- > 0 && !left.empty();) { // the peak first: only no pause comes near to it
        Choice& choice = made[i];
        const auto distance = [&](const Known& one) { return std::abs(one.pair.lines_per_ns - choice.wanted); };
        const auto nearest = std::ranges::min_element(left, {}, distance);
        choice.setting = nearest->setting;
        choice.miss = distance(*nearest) / (slack_ * (choice.wanted - (i > 0 ? made[i - 1].wanted : 0)));
        left.erase(nearest);
    }
    return made;
}

std::optional<std::size_t> LoadSettings::next_pause() {
    const std::vector<Known> all = known();
    std::vector<Choice> missed = choices(all);
    std::ranges::sort(missed, [](const Choice& a, const Choice& b) {
        return a.miss != b.miss ? a.miss > b.miss : a.wanted < b.wanted;
    });
    for (const Choice& choice : missed) {
        if (choice.miss <= 1)
            break;
        for (const std::size_t pause : pauses_for(choice.wanted, all)) {
            if (std::ranges::count(settings_, pause, &LoadSetting::pause) == 0)
                return pause;
        }
    }
    return std::nullopt;
}

/// Those to try. Beyond a pause that memory hides, the time per line grows linearly with the pause, with a step up
/// where the processor no longer looks ahead to the next line.
std::vector<std::size_t> LoadSettings::pauses_for(double wanted, const std::vector<Known>& known) const {
    constexpr std::size_t longest_pause = std::size_t{1} << 21U; // some 10 us for each line
    struct Neighbour {
        double lines_per_ns;
        std::size_t pause;
    };
    std::optional<Neighbour> slower; // with the shortest pause
    std::optional<Neighbour> faster; // with the longest
    for (const auto& [setting, pair] : known) {
        const std::size_t pause = *setting->pause;
        if (pair.lines_per_ns <= wanted && (!slower || pause < slower->pause))
            slower = {pair.lines_per_ns, pause};
        if (pair.lines_per_ns > wanted && (!faster || pause > faster->pause))
            faster = {pair.lines_per_ns, pause};
    }
    std::size_t longest = 0;
    for (const LoadSetting& setting : settings_)
        longest = std::max(longest, *setting.pause);
    const std::size_t longer = std::max(4 * LoadGenerator::lines_in_portion, 2 * longest);
    if (!slower)
        return longer <= longest_pause ? std::vector{longer} : std::vector<std::size_t>{};
    if (!faster)
        return {};
    const auto between = [&](double share) {
        return static_cast<std::size_t>(
            std::lerp(static_cast<double>(faster->pause), static_cast<double>(slower->pause), share));
    };
    return {between((1 / wanted - 1 / faster->lines_per_ns) / (1 / slower->lines_per_ns - 1 / faster->lines_per_ns)),
            between(0.5)};
}

} // namespace memtest
