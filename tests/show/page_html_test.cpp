// The page of memtest report in HTML: what it says is tested with the Markdown page.

#include "memtest/base/error.hpp"
#include "memtest/show/page.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <sstream>

namespace memtest {
namespace {

/// A page taken apart: its tags without attributes, and what stands between them, with its entities decoded.
struct Parsed {
    std::vector<std::string> tags{};
    std::string text{};
};

void decode(std::string& text, std::string_view entity, std::string_view character) {
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; at += character.size())
        text.replace(at, entity.size(), character);
}

Parsed parsed(const std::string& html) {
    Parsed page;
    char quote = 0;
    bool is_in_tag = false;
    for (const char c : html) {
        if (!is_in_tag) {
            is_in_tag = c == '<';
            if (is_in_tag)
                page.tags.emplace_back();
            page.text += is_in_tag ? ' ' : c;
            continue;
        }
        if (quote != 0 ? c == quote : c == '"' || c == '\'')
            quote = quote != 0 ? '\0' : c;
        is_in_tag = quote != 0 || c != '>';
        if (is_in_tag)
            page.tags.back() += c;
    }
    EXPECT_FALSE(is_in_tag) << "a tag has no end";
    for (std::string& tag : page.tags)
        tag = tag.substr(0, tag.find_first_of(" \n")) + (tag.ends_with('/') ? "/" : "");
    for (const auto& [entity, character] :
         {std::pair("&#60;", "<"), {"&#62;", ">"}, {"&#34;", "\""}, {"&#39;", "'"}, {"&#38;", "&"}})
        decode(page.text, entity, character);
    return page;
}

/// What of the tags has no partner.
std::vector<std::string> unbalanced(const std::vector<std::string>& tags) {
    std::vector<std::string> open;
    for (const std::string& tag : tags) {
        if (tag.starts_with('!') || tag == "meta" || tag.ends_with('/'))
            continue;
        if (tag.starts_with('/') && !open.empty() && open.back() == tag.substr(1))
            open.pop_back();
        else
            open.push_back(tag);
    }
    return open;
}

std::vector<std::string> sorted_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    std::erase_if(words, [](const std::string& word) {
        return word.find_first_not_of("|-:#") == std::string::npos; // of tables, lists and headings in Markdown
    });
    std::ranges::sort(words);
    return words;
}

constexpr std::string_view hostile = "</title><script>alert(\"1\")</script><img src=x onerror='2'>&lt;\x1b[31m\x01";

TEST(ReportHtml, SaysWhatTheMarkdownPageSays) {
    StoredFile results = stored_parts();
    part_in(results, "sweep").warnings.emplace_back(Code::busy_machine);
    const std::string html = report_html(page_of(results, {}));
    std::string markdown = report_page(page_of(results, {}));
    std::erase(markdown, '\\'); // that escape
    EXPECT_EQ(sorted_words(parsed(html.substr(html.find("<body>"))).text), sorted_words(markdown));
}

TEST(ReportHtml, HasBalancedTagsAndAllPlots) {
    PageExtras extras;
    for (const char* part : {"sweep", "loaded", "tail", "nodes", "prefetch", "cores"})
        extras.plots[part] = "<svg><path d='>'/></svg>\n";
    for (const StoredFile& each : {stored_parts(), StoredFile{}}) {
        const Parsed page = parsed(report_html(page_of(each, extras)));
        EXPECT_EQ(unbalanced(page.tags), std::vector<std::string>{});
        EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(page.tags, "svg")),
                  each.results.empty() ? 0 : extras.plots.size());
        EXPECT_EQ(std::ranges::count(page.tags, "h1"), 1);
    }
    EXPECT_EQ(unbalanced({"p", "b", "/p"}), (std::vector<std::string>{"p", "b", "/p"}));
}

TEST(ReportHtml, TakesNothingInAFileForMarkup) {
    const auto page_with = [](std::string_view text) {
        StoredFile results = stored_parts();
        const std::string name(text);
        for (Result* result : {&part_in(results, "sweep"), &part_in(results, "huge")}) {
            result->run.cpu_model = result->run.kernel = result->run.machine = result->run.container = name;
            result->run.hypervisor = result->run.transparent_policy = result->run.version = result->run.start = name;
            result->run.virtual_machine = true;
            result->run.core_kinds = {{name}};
        }
        part_in(results, "huge").remarks = {Notice(Code::unknown, {{"sentence", name}})};
        results.missing = {{name, name}};
        return report_html(page_of(results, {}));
    };
    const std::string page = page_with(hostile);
    EXPECT_EQ(parsed(page).tags, parsed(page_with("harmless")).tags);
    EXPECT_TRUE(holds(parsed(page).text, "Memory of </title><script>alert(\"1\")</script><img src=x onerror='2'>&lt;"));
    EXPECT_TRUE(std::ranges::none_of(page, [](char c) { return c >= 0 && c < ' ' && c != '\n'; }));
}

TEST(ReportHtml, LoadsNothing) {
    const std::string page = report_html(page_of(stored_parts(), {}));
    for (const char* word : {"<script", "<link", " src=", " href=", "url(", "@import", "http:", "https:"})
        EXPECT_FALSE(holds(page, word)) << word;
    EXPECT_TRUE(holds(page, "default-src 'none'"));
}

TEST(ReportHtml, SetsNumbersToTheRightInATableThatScrolls) {
    StoredFile results{.is_report = true};
    set_part(results, "loaded", stored_result("loaded.csv"));
    const std::string page = report_html(page_of(results, {}));
    EXPECT_TRUE(holds(page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Latency under load\">\n"
                            "<table>\n<thead>\n<tr><th scope=\"col\"></th>"
                            "<th scope=\"col\" class=\"number\">Bandwidth</th>"))
        << page;
    EXPECT_TRUE(holds(page, "<tr><th scope=\"row\">Idle</th><td class=\"number\"></td>")) << page;
}

TEST(InlineSvg, IsTheElementWithoutProlog) {
    EXPECT_EQ(inline_svg("<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg\n width=\"9\">\n<g></g></svg>\n\n", "tail",
                         "a \"b\" <c>"),
              "<svg role=\"img\" aria-label=\"a &#34;b&#34; &#60;c&#62;\"\n width=\"9\">\n<g></g></svg>\n");
}

TEST(InlineSvg, HasIdsOfItsOwnAndNamesThem) {
    const std::string svg = inline_svg("<svg><path id='p1' fill='url(#f)'/><use xlink:href='#p1' id=\"p2\"/>"
                                       "<use href=\"#p2\" grid=\"1\"/></svg>",
                                       "tail", "");
    EXPECT_TRUE(holds(svg, "<path id='tail-p1' fill='url(#tail-f)'/><use xlink:href='#tail-p1' id=\"tail-p2\"/>"
                           "<use href=\"#tail-p2\" grid=\"1\"/></svg>"))
        << svg;
}

TEST(InlineSvg, KeepsItsTextToTheLetter) {
    const std::string text = "<text a=\"1\">x id='1' href=\"#2\" url(#3)</text>";
    EXPECT_TRUE(holds(inline_svg("<svg>" + text + "</svg>", "tail", ""), text));
}

TEST(InlineSvg, RefusesWhatIsNone) {
    for (const char* text : {"", "drawn", "<svg>", "</svg><svg>"})
        EXPECT_THROW(static_cast<void>(inline_svg(text, "tail", "")), Error) << text;
}

} // namespace
} // namespace memtest
