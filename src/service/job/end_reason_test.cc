#include "service/job/end_reason.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "service/engine/attempt_supervisor.h"
#include "service/store/schema.h"

namespace lockstep::service {
namespace {

TEST(EndReasonTest, EveryKindHasAWordOfItsOwnThatIsReadAgain) {
  std::set<std::string_view> words;
  for (int number = 0; number <= static_cast<int>(EndKind::kToGrow); ++number) {
    const auto kind = static_cast<EndKind>(number);
    EXPECT_TRUE(words.insert(word_for(kind)).second) << word_for(kind);
    EXPECT_EQ(end_kind_named(word_for(kind)), kind);
  }
  EXPECT_EQ(end_kind_named("of a later version"), EndKind::kUnknown);
}

TEST(EndReasonTest, SentencesAreThoseThatUsersKnow) {
  EXPECT_EQ(EndReason::hung().text, "the job could not go on and was ended");
  EXPECT_EQ(EndReason::silent("rank 1", 50).text, "rank 1 gave no sign of life for 50 s");
  EXPECT_EQ(EndReason::time_limit_of("Slurm").text, "ended by Slurm at its time limit");
  EXPECT_EQ(EndReason::preempted("Slurm").text, "preempted by Slurm");
  EXPECT_EQ(EndReason::preempted("Kubernetes", "the pod of rank 1 was deleted").text,
            "preempted by Kubernetes: the pod of rank 1 was deleted");
  EXPECT_EQ(EndReason::node_lost("Slurm").text, "Slurm lost a node of the job");
  EXPECT_EQ(EndReason::pod_status(2, 1, "").text,
            "the pod of rank 2 ended with status 1 before its rank did");
}

TEST(EndReasonTest, TheStoreKeepsTheKindAndReadsRowsWithoutOne) {
  Attempt attempt{.job_id = "job_1", .number = 1};
  attempt.reason = EndReason::preempted("Slurm");
  std::string row = encode_attempt(attempt);
  EXPECT_EQ(decode_attempt(row).value().reason, attempt.reason);
  const std::string member = R"("end_kind":"preempted",)";
  const std::size_t at = row.find(member);
  ASSERT_NE(at, std::string::npos) << row;
  row.erase(at, member.size());
  EXPECT_EQ(decode_attempt(row).value().reason, (EndReason{EndKind::kUnknown, "preempted by Slurm"}));
}

TEST(EndReasonTest, AnEndFileOfAnEarlierVersionIsRead) {
  std::string name = "/tmp/lockstep-end-XXXXXX";
  const AttemptFolder folder{::mkdtemp(name.data())};
  const std::string text = R"({"succeeded":false,"exit_status":1,"reason":"rank 2 ended with status 1",)"
                           R"("findings":"","ended_ms":5})";
  ASSERT_TRUE(base::write_file(folder.end(), text).ok());
  const auto end = read_attempt_end(folder).value();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, (EndReason{EndKind::kUnknown, "rank 2 ended with status 1"}));
  std::filesystem::remove_all(folder.path);
}

}  // namespace
}  // namespace lockstep::service
