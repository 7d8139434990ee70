#include "service/attempt_end.h"

#include <filesystem>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "model/finding_code.h"
#include "report/findings_json.h"
#include "service/growth.h"
#include "service/silence.h"
#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kEndSeen = 9000;

// The folder of an attempt with two ranks, and what the service knows of its job.
class AttemptEndTest : public ::testing::Test {
 protected:
  AttemptEndTest() {
    std::string name = "/tmp/lockstep-end-XXXXXX";
    root_ = ::mkdtemp(name.data());
    job_.id = attempt_.job_id = "job";
    job_.state = attempt_.state = JobState::kRunning;
    job_.spec.retries = 0;
    attempt_.number = 1;
    attempt_.workers = 2;
    engine_ = std::make_unique<FakeEngine>(root_);
    std::filesystem::create_directories(folder().ranks());
  }
  ~AttemptEndTest() override { std::filesystem::remove_all(root_); }

  AttemptFolder folder() const { return engine_->folder_of("job", 1); }
  void write(const std::filesystem::path& path, const base::Json& json) const {
    ASSERT_TRUE(base::write_file(path, base::to_text(json, base::JsonLayout::kOneLine)).ok());
  }
  void rank_ended(int rank, int status, std::int64_t at_ms, bool was_asked = false) const {
    write(folder().rank_end(rank),
          encode_rank_end({.rank = rank, .ended_ms = at_ms, .exit_status = status, .was_asked = was_asked}));
  }
  void end(int status, EndReason reason = {}, base::Json findings = {}) {
    engine_->end({"job", 1}, status, 5000, std::move(reason), std::move(findings));
  }
  static base::Json findings_with(const model::FindingCode& code) {
    model::Verdict verdict;
    verdict.findings.emplace_back().code = code;
    return report::findings_as_json(verdict);
  }
  Sequel concluded() {
    EXPECT_TRUE(read_end(folder(), job_, attempt_, kEndSeen).ok());
    return conclude(folder(), job_, attempt_).value();
  }

  std::filesystem::path root_;
  std::unique_ptr<FakeEngine> engine_;
  Job job_;
  Attempt attempt_;
};

TEST_F(AttemptEndTest, OfAJobThatSucceeded) {
  end(0);
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "succeeded");
  EXPECT_FALSE(sequel.goes_on);
  EXPECT_EQ(job_.state, JobState::kSucceeded);
  EXPECT_EQ(job_.ended_ms, 5000);
}

TEST_F(AttemptEndTest, OfAFailureSaysWhyAndWhyItIsNotRepeated) {
  rank_ended(1, 3, 4000);
  rank_ended(0, 1, 4500);
  end(3, EndReason::rank_status(1, 3));
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "failed");
  EXPECT_EQ(sequel.detail, "rank 1 ended with status 3; not retried: nothing is known that would go better");
  EXPECT_EQ(job_.state, JobState::kFailed);
  EXPECT_EQ(job_.reason, "rank 1 ended with status 3");
  EXPECT_EQ(attempt_.first_failed_rank, 1) << "not the one with the lowest number";
  EXPECT_EQ(attempt_.exit_status, 3);
}

TEST_F(AttemptEndTest, TheReasonIsTheTitleOfTheFinding) {
  model::Verdict verdict;
  model::Finding& finding = verdict.findings.emplace_back();
  finding.code = model::codes::kScriptException;
  finding.title = "Rank 2 raised ValueError at train.py:44";
  end(1, EndReason::hung(), report::findings_as_json(verdict));
  const Sequel sequel = concluded();
  EXPECT_EQ(job_.reason, finding.title);
  EXPECT_THAT(sequel.detail, HasSubstr(finding.title + " (the job"));
  job_ = Job();
  end(1, EndReason::time_limit(3), report::findings_as_json(verdict));
  concluded();
  EXPECT_EQ(job_.reason, EndReason::time_limit(3).text) << "nothing says it better";
}

TEST_F(AttemptEndTest, OfAFailureThatMayBeRepeated) {
  job_.spec.retries = 1;
  end(1, EndReason::rank_status(0, 1));
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "failed, to be retried");
  EXPECT_TRUE(sequel.goes_on);
  EXPECT_EQ(job_.state, JobState::kQueued);
  EXPECT_EQ(attempt_.state, JobState::kFailed);
  EXPECT_EQ(job_.repairs.retries_used, 1);
}

TEST_F(AttemptEndTest, TheFirstFindingDecidesTheRepair) {
  end(1, EndReason::rank_status(0, 1), findings_with(model::codes::kBusError));
  const Sequel sequel = concluded();
  EXPECT_TRUE(sequel.goes_on) << sequel.detail;
  EXPECT_TRUE(job_.repairs.has_own_shared_memory);
}

TEST_F(AttemptEndTest, FindingsThatAnEarlierVersionKeptAsTextAreRead) {
  const base::Json old = base::to_text(findings_with(model::codes::kBusError), base::JsonLayout::kIndented);
  end(1, EndReason::rank_status(0, 1), old);
  EXPECT_TRUE(concluded().goes_on);
  EXPECT_EQ(attempt_.findings, findings_with(model::codes::kBusError));
}

TEST_F(AttemptEndTest, FindingsThatCannotBeReadAreNone) {
  for (const base::Json& kept : {base::Json(""), base::Json("{"), base::Json("[]"), base::Json(7)}) {
    end(1, EndReason::rank_status(0, 1), kept);
    ASSERT_TRUE(read_end(folder(), job_, attempt_, kEndSeen).ok());
    EXPECT_TRUE(attempt_.findings.is_null()) << kept;
  }
}

TEST_F(AttemptEndTest, OfALostSupervisor) {
  const Sequel sequel = concluded();
  EXPECT_EQ(attempt_.reason.kind, EndKind::kSupervisorLost);
  EXPECT_EQ(attempt_.ended_ms, kEndSeen);
  EXPECT_EQ(attempt_.exit_status, 2);
  EXPECT_EQ(job_.state, JobState::kFailed);
  EXPECT_THAT(sequel.detail, HasSubstr("not retried"));
}

// Takes every descriptor that is not open yet.
class WithoutDescriptors {
 public:
  WithoutDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~WithoutDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(AttemptEndTest, OfASuccessIsNotLostWhenNoDescriptorIsLeft) {
  end(0);
  {
    const WithoutDescriptors none;
    const auto read = read_end(folder(), job_, attempt_, kEndSeen);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().why, "Too many open files");
  }
  EXPECT_EQ(attempt_.state, JobState::kRunning) << "it is as it was";
  EXPECT_EQ(concluded().event, "succeeded");
}

TEST_F(AttemptEndTest, WhatDecidesARetryIsReadOrWaitedFor) {
  job_.spec.retries = 1;
  end(1, EndReason::rank_status(0, 1));
  ASSERT_TRUE(read_end(folder(), job_, attempt_, kEndSeen).ok());
  {
    const WithoutDescriptors none;
    EXPECT_TRUE(conclude(folder(), job_, attempt_).ok()) << "nothing else is there";
  }
  ASSERT_TRUE(write_growth(folder(), {4}).ok());
  const WithoutDescriptors none;
  EXPECT_FALSE(conclude(folder(), job_, attempt_).ok());
}

TEST_F(AttemptEndTest, ALostSupervisorDoesNotLoseASuccess) {
  rank_ended(0, 0, 4000);
  rank_ended(1, 0, 4200);
  EXPECT_EQ(concluded().event, "succeeded");
  EXPECT_EQ(job_.ended_ms, 4200);
  EXPECT_TRUE(attempt_.reason.is_empty()) << attempt_.reason.text;
}

TEST_F(AttemptEndTest, ALostSupervisorAndARankWithoutARecordAreAFailure) {
  rank_ended(0, 0, 4000);
  EXPECT_EQ(concluded().event, "failed");
  EXPECT_EQ(attempt_.reason, EndReason::supervisor_lost());
}

TEST_F(AttemptEndTest, ALastRecordThatIsDamagedIsSaidToBe) {
  ASSERT_TRUE(base::write_file(folder().end(), "{\"succeeded\": tr").ok());
  EXPECT_EQ(concluded().event, "failed");
  EXPECT_EQ(attempt_.reason, EndReason::damaged_end());
}

TEST_F(AttemptEndTest, TheDiskThatDidNotTakeAllOutputIsNamed) {
  for (const int rank : {0, 1})
    write(folder().rank_end(rank),
          encode_rank_end(
              {.rank = rank, .ended_ms = 4000, .exit_status = 0, .output_lost = "No space left on device"}));
  end(0);
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "succeeded");
  EXPECT_EQ(sequel.detail, "output of ranks 0-1 is incomplete: No space left on device");
}

TEST_F(AttemptEndTest, OfSilenceIsASilence) {
  ASSERT_TRUE(write_silence(folder(), {{1}, 50}).ok());
  end(143, EndReason::rank_signal(0, 15));
  ASSERT_TRUE(read_end(folder(), job_, attempt_, kEndSeen).ok());
  EXPECT_EQ(attempt_.reason, EndReason::silent("rank 1", 50));
  const auto verdict = report::findings_from_json(attempt_.findings, "findings");
  ASSERT_TRUE(verdict.ok());
  EXPECT_THAT(verdict.value().findings.at(0).root_ranks, ElementsAre(1));
}

TEST_F(AttemptEndTest, ARankThatWasHeardInTheEndSucceeds) {
  ASSERT_TRUE(write_silence(folder(), {{1}, 50}).ok());
  end(0);
  EXPECT_EQ(concluded().event, "succeeded") << "though its silence was written down";
  EXPECT_TRUE(attempt_.reason.is_empty()) << attempt_.reason.text;
  EXPECT_TRUE(attempt_.findings.is_null());
}

TEST_F(AttemptEndTest, OfACancelledJob) {
  job_.cancel_asked = true;
  job_.spec.retries = 3;
  end(143, EndReason::rank_signal(0, 15));
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "cancelled");
  EXPECT_FALSE(sequel.goes_on) << "a cancelled job is not retried";
  EXPECT_EQ(job_.state, JobState::kCancelled);
}

TEST_F(AttemptEndTest, AJobThatWasDoneBeforeItHeardOfItsCancelSucceeded) {
  job_.cancel_asked = true;
  rank_ended(0, 0, 4000);
  rank_ended(1, 0, 4000);
  end(0);
  EXPECT_EQ(concluded().event, "succeeded");
}

TEST_F(AttemptEndTest, AJobThatSavedAndLeftWhenItWasCancelledIsCancelled) {
  job_.cancel_asked = true;
  rank_ended(0, 0, 4000, true);
  end(0);
  EXPECT_EQ(concluded().event, "cancelled");
}

TEST_F(AttemptEndTest, AGrowingJobGoesOnAndNothingCountsAgainstIt) {
  job_.repairs.excluded_nodes = {"n1", "n2"};
  ASSERT_TRUE(write_growth(folder(), {4, {"n2"}}).ok());
  end(143, EndReason::rank_signal(0, 15));
  const Sequel sequel = concluded();
  EXPECT_EQ(sequel.event, "ended, to grow");
  EXPECT_TRUE(sequel.goes_on);
  EXPECT_EQ(attempt_.state, JobState::kCancelled);
  EXPECT_EQ(attempt_.reason.kind, EndKind::kToGrow);
  EXPECT_EQ(job_.repairs.retries_used, 0);
  EXPECT_THAT(job_.repairs.excluded_nodes, ElementsAre("n1")) << "the other one is back";
}

TEST_F(AttemptEndTest, AGrowingJobThatSavedAndLeftGoesOn) {
  ASSERT_TRUE(write_growth(folder(), {4}).ok());
  rank_ended(0, 0, 4000, true);
  end(0);
  EXPECT_EQ(concluded().event, "ended, to grow");
}

TEST_F(AttemptEndTest, AGrowingJobThatWasDoneSucceeded) {
  ASSERT_TRUE(write_growth(folder(), {4}).ok());
  rank_ended(0, 0, 4000);
  end(0);
  EXPECT_EQ(concluded().event, "succeeded");
}

TEST_F(AttemptEndTest, ACancelledJobDoesNotGrow) {
  job_.cancel_asked = true;
  ASSERT_TRUE(write_growth(folder(), {4}).ok());
  end(143, EndReason::rank_signal(0, 15));
  EXPECT_EQ(concluded().event, "cancelled");
}

TEST_F(AttemptEndTest, OfOneThatCouldNotBeStarted) {
  const Sequel sequel =
      conclude_not_started({"cannot make the folder", "/x", "no space", ""}, job_, attempt_, kEndSeen);
  EXPECT_EQ(sequel.event, "failed");
  EXPECT_EQ(sequel.detail, "cannot make the folder: /x: no space");
  EXPECT_EQ(attempt_.reason.kind, EndKind::kNotStarted);
  EXPECT_EQ(job_.state, JobState::kFailed);
  EXPECT_EQ(job_.ended_ms, kEndSeen);
  EXPECT_EQ(job_.reason, sequel.detail);
}

}  // namespace
}  // namespace lockstep::service
