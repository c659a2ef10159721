#include "memtest/show/inline_svg.hpp"

#include "memtest/base/error.hpp"
#include "support/program.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

TEST(InlineSvg, IsTheElementWithoutPrologAndGnuplotsTitles) {
    EXPECT_EQ(inline_svg("<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg\n "
                         "width=\"9\">\n<title>Gnuplot</title><g><title>gnuplot_plot_12</title></g>"
                         "<g><title>tail</title></g></svg>\n\n",
                         "tail", "a \"b\" <c>"),
              "<svg role=\"img\" aria-label=\"a &#34;b&#34; &#60;c&#62;\"\n width=\"9\">\n<g></g>"
              "<g><title>tail</title></g></svg>\n");
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
