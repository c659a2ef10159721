#pragma once

#include "memtest/base/error.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/prefetchers.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/load_row.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/result/plot_data.hpp"
#include "memtest/result/value.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace memtest {

/// What makes CSV include a column. JSON has them all.
enum class ColumnGroup { always, cycles, stats, threads, writes, bandwidth };

/// A column of a kind of result: all that writer, reader and manual know about it.
struct Column {
    enum class Type { count, figure, word, words, detail };

    std::string_view name = {};   ///< in the header of the CSV; empty if only JSON has it
    std::string_view member = {}; ///< of a row in JSON; empty if only CSV has it
    std::string_view meaning = {};
    Type type = Type::figure;
    Digits digits = decimals(3); ///< of a figure
    double lowest = 0;           ///< numbers out of bounds are impossible: they are neither written nor read
    double highest = 1e12;
    ColumnGroup group = ColumnGroup::always;
    bool needed = false;                                ///< known in every row
    std::uint64_t unit_bytes = 0;                       ///< of a size, which a table prints in words
    std::vector<std::string_view> (*words)() = nullptr; ///< all that a column of words takes; null for any text

    [[nodiscard]] bool is_number() const { return type == Type::count || type == Type::figure; }
    [[nodiscard]] bool is_word() const { return type == Type::word || type == Type::words; }
    [[nodiscard]] bool holds(double number) const { return number >= lowest && number <= highest; } // and is no NaN
    /// The value, or null for a number out of bounds.
    [[nodiscard]] Value possible(const Value& value) const;
    /// What JSON holds for a value: the same, with the column's digits for a figure.
    [[nodiscard]] Value written(const Value& value) const;
    /// Whether every file of the column's kind has it.
    [[nodiscard]] bool is_always_there() const { return group == ColumnGroup::always && !name.empty(); }
};

/// What a kind of result may report besides its rows and remarks, in JSON: a list, or else a single value.
struct FindingMember {
    std::string_view name;
    bool is_list = true;
};

/// A part of a report that a kind of result makes.
struct ReportPart {
    std::string_view name;
    std::string_view section; ///< the word by which users choose it
    std::string_view words;   ///< what it measures, for people
    bool is_numbered = false; ///< there may be several, with a number behind the name
};

// The rows of the kinds that are stored, unless a lower layer has their type.

/// The cost of translation at one number of pages.
struct TlbRow {
    std::uint64_t pages = 0;
    double reach_kib = 0; ///< of these pages
    double spread_ns = 0; ///< one line in each page
    double packed_ns = 0; ///< the same number of lines in few pages
    std::optional<double> translation_ns = std::nullopt;
};

/// The latency distribution of one size under one load.
struct PercentileRow {
    std::uint64_t size_bytes = 0;
    double load_percent = 0;
    std::optional<std::uint64_t> accesses = std::nullopt;
    std::optional<double> p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns, max_ns;
    std::optional<std::uint64_t> group = std::nullopt; ///< loads in a sample
    std::optional<double> set_aside_percent = std::nullopt;
    std::optional<double> achieved_percent = std::nullopt; ///< see TailRow
    std::optional<double> low_p50_ns = std::nullopt;       ///< the second lowest of the visits
    std::optional<double> high_p50_ns = std::nullopt;      ///< the second highest
    std::optional<double> sampled_ms = std::nullopt;       ///< what all samples took
    std::optional<double> stopped_ms = std::nullopt;       ///< of it, while the processor was taken away
    std::optional<double> longest_stop_ms = std::nullopt;
};

/// The transfer of lines from one processor to another.
struct CoresRow {
    int reader = 0;
    int owner = 0;
    std::optional<double> latency_ns = std::nullopt; ///< std::nullopt if the clock could not tell
    std::optional<Relation> relation = std::nullopt;
    std::optional<double> low_ns = std::nullopt; ///< the least of the visits
    std::optional<double> high_ns = std::nullopt;
};

/// The latency from the processors of one NUMA node to the memory of another or the same, and their bandwidth.
struct NodesRow {
    int processors_of = 0;
    int memory_of = 0;
    std::optional<double> latency_ns = std::nullopt;
    std::optional<double> bytes_per_ns = std::nullopt;   ///< GB/s that all processors of the node read together
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree on the latency
};

/// The rows of a stored result, in the order of the file.
struct Rows : std::variant<std::vector<Row>, std::vector<TlbRow>, std::vector<LoadRow>, std::vector<PercentileRow>,
                           std::vector<CoresRow>, std::vector<NodesRow>, std::vector<PatternFigure>> {
    using variant::variant;
    // Defined in one source, as they take long to compile.
    Rows();
    Rows(const Rows& other);
    Rows(Rows&& other) noexcept;
    Rows& operator=(const Rows& other);
    Rows& operator=(Rows&& other) noexcept;
    ~Rows();
};

struct Answer;
struct Result;
class FigureList; // of kinds, where figures are added

/// A kind of result: what one command makes.
class Kind {
public:
    struct Facts {
        std::string_view command; ///< its name; empty for a sweep
        std::vector<FindingMember> findings = {};
        std::vector<ReportPart> parts = {}; ///< that `memtest report` makes of it
        std::string_view rows = "rows";     ///< their member in JSON
        bool measured = true;               ///< has a run, warnings and an end; else made from other results
        bool findings_first = false;        ///< in CSV, before the rows

        // What a stored result means. @pre it has rows @throws Error (usage) if these have no figure, or contradict
        // each other

        /// Title, table, sentence and notes on the rows.
        Answer (*answer)(const Result& result) = nullptr;
        /// What the result states, for comparisons.
        void (*add_figures)(FigureList& list, const Result& result) = nullptr;
        /// One or more results of this kind, with a label for each; of a matrix the first alone. Null if it is not
        /// drawn.
        Plot (*plot)(const std::vector<Result>& results, const std::vector<std::string>& labels,
                     const PlotStyle& style) = nullptr;
    };

    explicit Kind(Facts its_facts) : facts(std::move(its_facts)) {}
    virtual ~Kind() = default;
    Kind(const Kind&) = delete;
    Kind& operator=(const Kind&) = delete;
    Kind(Kind&&) = default;
    Kind& operator=(Kind&&) = delete;

    [[nodiscard]] std::span<const Column> columns() const { return columns_; }

    /// Appends a row. @return how many there are now
    virtual std::size_t add_row(Rows& rows) const = 0;

    /// Sets a column of the last row. @return false for a value that the column does not take
    [[nodiscard]] virtual bool set(Rows& rows, std::size_t column, const Value& value) const = 0;

    Facts facts;

protected:
    std::vector<Column> columns_;
};

/// All kinds: first those that commands measure, in the order of the parts of a report; the sweep before all.
[[nodiscard]] std::span<const Kind* const> all_kinds();

/// Those that commands measure, which can be read.
[[nodiscard]] std::span<const Kind* const> stored_kinds();

/// One column of a row type.
template<class RowType>
struct Field {
    Column column;
    std::function<Value(const RowType&)> get;
    bool (*set)(RowType&, const Value&) = nullptr; ///< null if it is not read
};

/// What a member holds, one or several or none of it.
template<class T>
struct HeldBy {
    using type = T;
};
template<class T>
struct HeldBy<std::optional<T>> : HeldBy<T> {};
template<class T>
struct HeldBy<std::vector<T>> : HeldBy<T> {};

/// A column that is a member of the row, and has its type and words.
/// @param json the name in JSON @param facts what else differs from an ordinary column
template<auto member>
[[nodiscard]] auto column_of(std::string_view name, std::string_view json, std::string_view meaning,
                             Column facts = {}) {
    return [&]<class RowType, class Type>(Type RowType::*) {
        using Held = typename HeldBy<Type>::type;
        facts.name = name;
        facts.member = json;
        facts.meaning = meaning;
        if constexpr (std::is_enum_v<Held>)
            facts.words = all_words<Held>;
        if constexpr (std::is_enum_v<Held> || std::is_same_v<Held, std::string>)
            facts.type = std::is_same_v<Type, std::vector<Held>> ? Column::Type::words : Column::Type::word;
        else if constexpr (std::is_integral_v<Held>)
            facts.type = Column::Type::count;
        return Field<RowType>{facts, [](const RowType& row) { return as_value(row.*member, exact); },
                              [](RowType& row, const Value& value) { return read_value(value, row.*member); }};
    }(member);
}

/// A column of a value that is computed from the row, and not read back.
template<class RowType>
[[nodiscard]] Field<RowType> computed(std::string_view name, std::string_view json, std::string_view meaning,
                                      Column facts, std::function<Value(const RowType&)> get) {
    facts.name = name;
    facts.member = json;
    facts.meaning = meaning;
    return {facts, std::move(get)};
}

/// The kind of one row type.
template<class RowType>
class KindOf final : public Kind {
public:
    KindOf(Facts its_facts, std::vector<Field<RowType>> fields)
        : Kind(std::move(its_facts)), fields_(std::move(fields)) {
        for (const Field<RowType>& field : fields_)
            columns_.push_back(field.column);
    }

    /// The values of a row, one for each column.
    [[nodiscard]] std::vector<Value> values(const RowType& row) const {
        std::vector<Value> all;
        for (const Field<RowType>& field : fields_)
            all.push_back(field.get(row));
        return all;
    }

    /// The row with the digits of its file.
    [[nodiscard]] RowType as_written(RowType row) const {
        for (const Field<RowType>& field : fields_) {
            const Column& column = field.column;
            if (field.set == nullptr || column.type != Column::Type::figure || column.unit_bytes != 0)
                continue;
            if (const Value value = column.written(field.get(row)); !value.is_null())
                static_cast<void>(field.set(row, value));
        }
        return row;
    }

    std::size_t add_row([[maybe_unused]] Rows& rows) const override {
        if constexpr (is_stored) {
            if (!std::holds_alternative<std::vector<RowType>>(rows))
                rows = std::vector<RowType>();
            auto& all = std::get<std::vector<RowType>>(rows);
            all.emplace_back();
            return all.size();
        }
        end_for_broken_invariant("rows are read of stored kinds alone");
    }

    [[nodiscard]] bool set([[maybe_unused]] Rows& rows, [[maybe_unused]] std::size_t column,
                           [[maybe_unused]] const Value& value) const override {
        if constexpr (is_stored)
            return fields_[column].set == nullptr ||
                   fields_[column].set(std::get<std::vector<RowType>>(rows).back(), value);
        end_for_broken_invariant("rows are read of stored kinds alone");
    }

private:
    static constexpr bool is_stored = std::is_constructible_v<Rows, std::vector<RowType>>;

    std::vector<Field<RowType>> fields_;
};

/// The values of a row as members of JSON.
[[nodiscard]] Members row_members(const Kind& kind, const std::vector<Value>& values);

// What columns of several kinds share.

inline constexpr Column in_stats{.group = ColumnGroup::stats};
inline constexpr Column id_column{.highest = 2147483647, .needed = true};

inline constexpr Column size_column{.name = "Mem size (MiB)",
                                    .member = "size_mib",
                                    .meaning = "size of the memory that is walked",
                                    .digits = decimals(5),
                                    .lowest = 0.00001,
                                    .highest = 8796093022207.0, // in bytes less than 2^63, however they are rounded
                                    .needed = true,
                                    .unit_bytes = std::uint64_t{1} << 20U};
/// The load of the other processors.
template<auto load_percent>
[[nodiscard]] auto load_field() {
    return column_of<load_percent>("Load (%)", "load_percent", "load of the other processors, of their peak bandwidth",
                                   {.digits = decimals(1), .needed = true});
}

/// The bytes of a size stored in MiB with five decimals, exact to 5 bytes: the roundest number in that range.
[[nodiscard]] std::uint64_t restored_bytes(double size_mib);

/// The size of a row, as size_column has it.
template<auto size_bytes>
[[nodiscard]] auto size_field() {
    auto field = column_of<size_bytes>("", "", "");
    field.column = size_column;
    field.get = [](const auto& row) { return Value(static_cast<double>(row.*size_bytes) / 1048576.0); };
    field.set = [](auto& row, const Value& value) {
        row.*size_bytes = restored_bytes(value.number().value_or(0));
        return true;
    };
    return field;
}

} // namespace memtest
