// Who launchers say a process is, and what the environment asks of the recorder.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "recorder/preload/rank_environment.h"
#include "recorder/preload/settings.h"
#include "recorder/preload/tf_config.h"

namespace lockstep::recorder {
namespace {

class Variables {
 public:
  Variables(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    ::clearenv();
    for (const auto& [name, value] : pairs) ::setenv(name, value, 1);
  }
  ~Variables() { ::clearenv(); }
};

TEST(RankEnvironment, KnowsTheLaunchers) {
  {
    const Variables variables{
        {"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "8"}};
    const RankIdentity identity = rank_from_environment();
    EXPECT_EQ(identity.rank, 5);
    EXPECT_EQ(identity.local_rank, 1);
    EXPECT_EQ(identity.world_size, 8);
  }
  for (const char* variable :
       {"RANK", "HOROVOD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    const Variables variables{{variable, "7"}};
    EXPECT_EQ(rank_from_environment().rank, 7) << variable;
  }
  const Variables none{};
  EXPECT_EQ(rank_from_environment().rank, -1);
}

TEST(RankEnvironment, BelievesTheLauncherOfTheRanksBeforeThatOfTheNodes) {
  const Variables variables{
      {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"RANK", "9"}, {"WORLD_SIZE", "16"}};
  EXPECT_EQ(rank_from_environment().rank, 9);
  EXPECT_EQ(rank_from_environment().world_size, 16);
}

TEST(RankEnvironment, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-1", "two", "3x", "99999999999", "18446744073709551616"}) {
    const Variables variables{{"RANK", text}};
    EXPECT_EQ(rank_from_environment().rank, -1) << text;
  }
}

TEST(RankEnvironment, CountsRestarts) {
  EXPECT_EQ((Variables{{"TORCHELASTIC_RESTART_COUNT", "2"}}, restarts_from_environment()), 2U);
  const Variables none{};
  EXPECT_EQ(restarts_from_environment(), 0U);
}

constexpr const char* kCluster =
    R"("cluster": {"worker": ["a:1", "b:1", "c:\"1"], "chief": ["index:0"], "ps": ["p:1","q:1"]})";

RankIdentity rank_of_task(const std::string& task) {
  return rank_from_tf_config(("{" + std::string(kCluster) + R"(, "task": )" + task + "}").c_str());
}

TEST(TfConfig, CountsChiefThenWorkersThenServers) {
  EXPECT_EQ(rank_of_task(R"({"type": "chief", "index": 0})").rank, 0);
  EXPECT_EQ(rank_of_task(R"({"type":"worker","index":2})").rank, 3);
  EXPECT_EQ(rank_of_task(R"({"index": "1", "type": "ps"})").rank, 5);
  EXPECT_EQ(rank_of_task(R"({"type":"worker","index":2})").world_size, 6);
}

TEST(TfConfig, KnowsNoRankWhereThereIsNone) {
  EXPECT_EQ(rank_of_task(R"({"type": "evaluator", "index": 0})").rank, -1);
  EXPECT_EQ(rank_of_task(R"({"type": "worker", "index": 3})").rank, -1);
  EXPECT_EQ(rank_of_task(R"({"type": "worker"})").rank, -1);
  EXPECT_EQ(rank_of_task("7").rank, -1);
}

TEST(TfConfig, SurvivesEveryCut) {
  const std::string whole = "{" + std::string(kCluster) + R"(, "task": {"type":"worker","index":2}})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const RankIdentity identity = rank_from_tf_config(whole.substr(0, length).c_str());
    EXPECT_TRUE(identity.rank == -1 || identity.rank == 3) << length;
  }
}

TEST(Settings, ReadSizes) {
  EXPECT_EQ(size_from_text("4096"), 4096U);
  EXPECT_EQ(size_from_text("64M"), 64U << 20);
  EXPECT_EQ(size_from_text("2g"), std::size_t{2} << 30);
  for (const char* text : {"", "M", "4T", "1.5G", "-1", "99999999999G"})
    EXPECT_EQ(size_from_text(text), 0U) << text;
}

TEST(Settings, ALimitMakesARing) {
  {
    const Variables variables{{"LOCKSTEP_RECORD", "/x"}, {"LOCKSTEP_MAX_RECORD_SIZE", "64M"}};
    EXPECT_TRUE(settings_from_environment().is_ring);
    EXPECT_EQ(settings_from_environment().max_bytes, 64U << 20);
  }
  const Variables variables{
      {"LOCKSTEP_RECORD", "/x"}, {"LOCKSTEP_MAX_RECORD_SIZE", "64M"}, {"LOCKSTEP_RECORD_MODE", "full"}};
  EXPECT_FALSE(settings_from_environment().is_ring);
}

TEST(Settings, NothingIsAskedForWithoutAFolder) {
  const Variables variables{{"LOCKSTEP_CHECKSUMS", "1"}};
  EXPECT_EQ(settings_from_environment().folder[0], '\0');
}

}  // namespace
}  // namespace lockstep::recorder
