#include "memtest/chain/chains.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memtest {
namespace {

bool processor_can_flush() noexcept {
#if defined(__x86_64__)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned clflushopt_bit = 1U << 23U;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & clflushopt_bit) != 0;
#elif defined(__aarch64__) || defined(__powerpc64__)
    return true;
#else
    return false;
#endif
}

void flush_line([[maybe_unused]] const std::byte* line) noexcept {
#if defined(__x86_64__)
    asm volatile("clflushopt %0" : : "m"(*line));
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
#elif defined(__powerpc64__)
    asm volatile("dcbf 0, %0" : : "r"(line) : "memory");
#endif
}

void wait_for_flushes() noexcept {
#if defined(__x86_64__)
    asm volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
    asm volatile("dsb ish" : : : "memory");
#elif defined(__powerpc64__)
    asm volatile("sync" : : : "memory");
#endif
}

// Linked between two checks for an interruption: some milliseconds, or hundreds if a node takes a microsecond.
constexpr std::size_t nodes_in_portion = std::size_t{1} << 18U;

// Lower streams are for the chains of the first order.
constexpr std::uint64_t stream_of_orders = max_parallel;

/// Zero, but known to the processor only once the word is. Otherwise a walk would begin while loads of the last one are
/// in flight: up to a fifth of 1024 hops overlapped with the next 1024.
std::uintptr_t zero_of(std::uintptr_t word) {
    std::uintptr_t same = word;
    asm volatile("" : "+r"(same)); // keeps the compiler from knowing that it is
    return word ^ same;
}

std::size_t block_nodes_of(const ChainShape& shape) {
    if (!shape.tlb_locality_bytes)
        return RandomCycle::unconfined;
    // A block holds nodes of every chain, so that all chains stay inside it together.
    return std::max<std::size_t>(1, *shape.tlb_locality_bytes / (shape.line_bytes * shape.parallel));
}

} // namespace

bool can_flush_lines() noexcept {
    static const bool can = processor_can_flush();
    return can;
}

bool flush_lines(std::span<const std::byte* const> lines) noexcept {
    if (!can_flush_lines())
        return false;
    for (const std::byte* line : lines)
        flush_line(line);
    wait_for_flushes();
    return true;
}

Chains::Chains(std::span<std::byte> memory, const ChainShape& shape)
    : memory_(memory), shape_(shape),
      // Each portion rewrites the ends of all passes, so one shorter than a stride would be slow.
      portion_(std::max(nodes_in_portion, shape.stride_bytes / shape.line_bytes)),
      walk_(walk_function(shape.link, shape.parallel)) {
    require(shape.line_bytes >= 8 && shape.line_bytes % 8 == 0, "a line holds a word and keeps the next one aligned");
    require(shape.orders >= 1 && shape.word + shape.orders <= most_orders(shape.line_bytes),
            "a line holds the words of its links");
    if (shape.order != Order::random) {
        require(shape.orders == 1, "a stride order is the same in each lap");
        require(shape.stride_bytes > 0 && shape.stride_bytes % shape.line_bytes == 0, "a stride is whole lines");
        return;
    }
    for (unsigned chain = 0; chain < shape.parallel; ++chain) {
        for (unsigned order = 0; order < shape.orders; ++order)
            random_cycles_.emplace_back(share_of(chain, 0, order).nodes,
                                        stream_seed(shape.seed, chain + std::uint64_t{order} * stream_of_orders),
                                        block_nodes_of(shape));
    }
}

Chains::Share Chains::share_of(unsigned chain, std::size_t nodes, unsigned order) const {
    const std::size_t line = shape_.line_bytes;
    const std::size_t word = (shape_.word + order) * sizeof(std::uintptr_t);
    if (shape_.order == Order::random) {
        const std::size_t count = (nodes + shape_.parallel - 1 - chain) / shape_.parallel;
        return {.nodes = Nodes(memory_.data(), chain * line + word, shape_.parallel * line, shape_.link),
                .count = count};
    }
    const auto begin_of = [&](std::size_t c) {
        return nodes / shape_.parallel * c + nodes % shape_.parallel * c / shape_.parallel;
    };
    return {.nodes = Nodes(memory_.data(), begin_of(chain) * line + word, line, shape_.link),
            .count = begin_of(chain + std::size_t{1}) - begin_of(chain)};
}

std::uintptr_t Chains::end_of_lap(unsigned chain, unsigned order, std::size_t nodes) const {
    return share_of(chain, nodes, (order + 1) % orders_of(nodes)).nodes.link_to(0);
}

bool Chains::grow_to(std::size_t bytes, const std::atomic<bool>& interrupted) {
    const std::size_t nodes = bytes / shape_.line_bytes;
    require(bytes <= memory_.size() && nodes >= shape_.parallel && nodes >= nodes_,
            "a working set lies in its memory, has a node for every chain and never shrinks");
    for (unsigned chain = 0; chain < shape_.parallel; ++chain) {
        const Share share = share_of(chain, nodes);
        // Several stride chains divide the memory anew at each size. Only a single one keeps its links.
        const bool moves = shape_.order != Order::random && shape_.parallel > 1;
        for (unsigned order = 0; order < orders_of(nodes); ++order) {
            std::size_t linked = moves ? 0 : share_of(chain, nodes_).count;
            while (linked < share.count) {
                if (interrupted.load(std::memory_order_relaxed))
                    return false;
                const std::size_t count = linked + std::min(share.count - linked, portion_);
                link(chain, order, share, linked, count);
                linked = count;
            }
            if (shape_.orders > 1)
                random_cycle(chain, order).continue_at(end_of_lap(chain, order, nodes));
        }
        cursors_[chain] = share.nodes.link_to(0);
    }
    nodes_ = nodes;
    return true;
}

void Chains::link(unsigned chain, unsigned order, const Share& share, std::size_t linked, std::size_t count) {
    if (shape_.order == Order::random)
        return random_cycle(chain, order).grow_to(count);
    link_stride_cycle(share.nodes, shape_.order, shape_.stride_bytes / shape_.line_bytes, linked, count);
}

void Chains::jump(SplitMix64& random) {
    for (unsigned chain = 0; chain < shape_.parallel; ++chain) {
        const Share share = share_of(chain, nodes_);
        const std::uintptr_t link = share.nodes.link_to(static_cast<std::size_t>(random.below(share.count)));
        cursors_[chain] = link + zero_of(cursors_[chain]);
    }
}

bool Chains::flush() const noexcept {
    if (!can_flush_lines())
        return false;
    constexpr std::size_t shortest_line = 64; // of processors that can flush
    const std::size_t first = shape_.word * sizeof(std::uintptr_t) / shortest_line * shortest_line;
    const std::size_t end = (shape_.word + orders_of(nodes_)) * sizeof(std::uintptr_t);
    for (std::size_t node = 0; node < nodes_ * shape_.line_bytes; node += std::max(shape_.line_bytes, shortest_line)) {
        for (std::size_t at = first; at < end; at += shortest_line)
            flush_line(memory_.data() + node + at);
    }
    wait_for_flushes();
    return true;
}

bool Chains::proven(std::size_t most_hops) const {
    for (unsigned chain = 0; chain < shape_.parallel; ++chain) {
        for (unsigned order = 0; order < orders_of(nodes_); ++order) {
            const Share share = share_of(chain, nodes_, order);
            if (!is_single_lap(share.nodes, share.count, end_of_lap(chain, order, nodes_), most_hops))
                return false;
        }
    }
    return true;
}

std::size_t smallest_working_set(const ChainShape& shape) {
    return capped_product<std::size_t>(shape.parallel,
                                       shape.order == Order::random ? shape.line_bytes : shape.stride_bytes);
}

} // namespace memtest
