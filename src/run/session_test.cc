#include "run/session.h"

#include <gtest/gtest.h>

namespace lockstep::run {
namespace {

using std::chrono::milliseconds;

watch::Notice about_rank_2(watch::Kind kind) {
  watch::Notice notice{.kind = kind, .finding = {}, .since = {}};
  notice.finding.title = "Rank 2 never joined";
  notice.finding.code = "desync.missing_rank";
  notice.finding.root_ranks = {2};
  return notice;
}

TEST(RunNotice, SaysWhenAndWhat) {
  EXPECT_TRUE(notice_in_words(about_rank_2(watch::Kind::kLate), milliseconds(1500), "")
                  .starts_with("lockstep: 1.5 s: waiting: Rank 2 never joined (desync.missing_rank)\n"));
}

TEST(RunNotice, SaysWhoseWordsTheyAre) {
  EXPECT_TRUE(notice_in_words(about_rank_2(watch::Kind::kHung), milliseconds(1500), "node0")
                  .starts_with("lockstep: 1.5 s: node0 says: hangs: Rank 2 never joined"));
}

TEST(RunNotice, TakesBackWhatPassed) {
  EXPECT_EQ(notice_in_words(about_rank_2(watch::Kind::kResolved), milliseconds(1500), ""),
            "lockstep: 1.5 s: rank 2 came after all\n");
  EXPECT_EQ(notice_in_words(about_rank_2(watch::Kind::kRestarted), milliseconds(1500), ""),
            "lockstep: 1.5 s: the job was restarted and goes on; what was said of rank 2 is over\n");
}

}  // namespace
}  // namespace lockstep::run
