#include "report/format.h"

#include <gtest/gtest.h>

#include "report/findings_json.h"
#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {
namespace {

TEST(FormatNamed, KnowsTheFourFormats) {
  EXPECT_EQ(format_named("text"), Format::kText);
  EXPECT_EQ(format_named("json"), Format::kJson);
  EXPECT_EQ(format_named("markdown"), Format::kMarkdown);
  EXPECT_EQ(format_named("sarif"), Format::kSarif);
  EXPECT_EQ(format_named("JSON"), std::nullopt);
}

TEST(Render, PicksTheRendererOfTheFormat) {
  const model::Verdict verdict = missing_rank_verdict();
  const TextStyle style{.colour = true, .width = 100};
  EXPECT_EQ(render(verdict, Format::kText, style, "1"), render_text(verdict, style));
  EXPECT_EQ(render(verdict, Format::kJson, style, "1"), encode_findings(verdict));
  EXPECT_EQ(render(verdict, Format::kMarkdown, style, "1"), render_markdown(verdict));
  EXPECT_EQ(render(verdict, Format::kSarif, style, "1"), render_sarif(verdict, "1"));
}

}  // namespace
}  // namespace lockstep::report
