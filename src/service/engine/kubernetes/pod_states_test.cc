#include "service/engine/kubernetes/pod_states.h"

#include <gtest/gtest.h>

namespace lockstep::service {

namespace {

using base::Json;

Json pod_with(int rank, const std::string& status) {
  Json pod = {{"metadata", {{"name", "p"}, {"labels", {{"lockstep-rank", std::to_string(rank)}}}}},
              {"spec", {{"nodeName", "n1"}}}};
  pod["status"] = Json::parse(status);
  return pod;
}

PodState state_of_pod(const std::string& status) {
  return pods_in({{"items", Json::array({pod_with(0, status)})}}).at(0);
}

TEST(PodStates, PodsAreOrderedByRankAndStrangersPassedOver) {
  const Json list = {
      {"items", Json::array({pod_with(2, R"({"phase": "Running"})"), pod_with(0, R"({"phase": "Pending"})"),
                             Json({{"metadata", {{"name", "x"}}}}), Json(7)})}};
  const auto pods = pods_in(list);
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].rank, 0);
  EXPECT_EQ(pods[1].node, "n1");
  EXPECT_TRUE(pods_in(Json()).empty());
}

TEST(PodStates, AnEndHasItsStatusAndReason) {
  const PodState failed = state_of_pod(
      R"({"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})");
  EXPECT_TRUE(failed.is_over());
  EXPECT_EQ(failed.exit_status, 137);
  EXPECT_EQ(failed.reason, "OOMKilled");
  EXPECT_EQ(state_of_pod(R"({"phase": "Failed", "reason": "Evicted", "message": "no disk"})").message,
            "no disk");
}

TEST(PodStates, AWaitIsExplained) {
  const PodState unplaced = state_of_pod(
      R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/2 nodes"}]})");
  EXPECT_EQ(unplaced.message, "0/2 nodes");
  EXPECT_FALSE(can_never_start(unplaced));
  EXPECT_TRUE(can_never_start(state_of_pod(
      R"({"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]})")));
}

TEST(PodStates, ARunningPodThatIsNotReadyIsOnANodeThatDoesNotAnswer) {
  const std::string ready = R"("conditions": [{"type": "Ready", "status": "True"}])";
  const std::string unready = R"("conditions": [{"type": "Ready", "status": "False"}])";
  const std::string runs = R"("phase": "Running", "containerStatuses": [{"state": {"running": {}}}])";
  EXPECT_FALSE(state_of_pod("{" + runs + "," + ready + "}").is_node_silent);
  EXPECT_TRUE(state_of_pod("{" + runs + "," + unready + "}").is_node_silent);
  EXPECT_FALSE(state_of_pod(R"({"phase": "Succeeded",)" + unready + "}").is_node_silent);
}

TEST(PodStates, QuantitiesInEveryForm) {
  EXPECT_EQ(thousandths_in("2"), 2000);
  EXPECT_EQ(thousandths_in("1930m"), 1930);
  EXPECT_EQ(thousandths_in("0.5"), 500);
  EXPECT_EQ(thousandths_in("24684100Ki"), std::int64_t{24684100} * 1024 * 1000);
  EXPECT_EQ(thousandths_in("8Gi"), (std::int64_t{8} << 30) * 1000);
  EXPECT_EQ(thousandths_in("5M"), std::int64_t{5'000'000'000});
  EXPECT_EQ(thousandths_in("1e3"), 1'000'000);
  for (const char* text : {"", "x", "-1", "5Q", "5Gib", "nan", "inf", "1e300", "9999999Ei"})
    EXPECT_EQ(thousandths_in(text), std::nullopt) << text;
}

TEST(PodStates, NodesHaveWhatTheyCanGive) {
  const Json ready = Json::array({{{"type", "Ready"}, {"status", "True"}}});
  const Json room = {{"cpu", "3500m"}, {"memory", "1Gi"}, {"nvidia.com/gpu", "2"}};
  const auto node = [&](const char* name, const Json& spec) {
    return Json{{"metadata", {{"name", name}}},
                {"spec", spec},
                {"status", {{"allocatable", room}, {"conditions", ready}}}};
  };
  const Json gpu_taint = {
      {"taints", Json::array({{{"key", "gpu"}, {"value", "yes"}, {"effect", "NoSchedule"}}})}};
  const Json passing = {
      {"taints", Json::array({{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoExecute"}}})}};
  const Json list = {{"items", Json::array({node("a", Json::object()), node("b", gpu_taint),
                                            node("c", {{"unschedulable", true}}), node("d", passing)})}};
  const auto nodes = kube_nodes_in(list, Json());
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].millicpus, 3500);
  EXPECT_EQ(nodes[0].memory_bytes, 1 << 30);
  EXPECT_EQ(nodes[0].gpus, 2);
  EXPECT_TRUE(nodes[0].can_work);
  EXPECT_FALSE(nodes[1].can_work) << "closed";
  const Json bears = {{"spec", {{"tolerations", Json::array({{{"key", "gpu"}, {"operator", "Exists"}}})}}}};
  EXPECT_EQ(kube_nodes_in(list, bears).size(), 4U);
}

using std::chrono::seconds;
using Step = GangPlacing::Step;

constexpr seconds kPatience{60};
const GangPlacing::Clock::time_point kBegin{};

std::vector<PodState> pods(int placed, int waiting) {
  std::vector<PodState> made(static_cast<std::size_t>(placed + waiting));
  for (int rank = 0; rank < placed + waiting; ++rank) {
    PodState& pod = made[static_cast<std::size_t>(rank)];
    pod.rank = rank;
    pod.phase = rank < placed ? "Running" : "Pending";
    pod.node = rank < placed ? "n1" : "";
  }
  return made;
}

TEST(GangPlacing, WhoHoldsNothingOrAllIsLeftAlone) {
  GangPlacing placing(kPatience, 1);
  for (int hour = 0; hour < 3; ++hour) {
    EXPECT_EQ(placing.next(pods(0, 3), kBegin + seconds(3600 * hour)), Step::kGoOn);
    EXPECT_EQ(placing.next(pods(3, 0), kBegin + seconds(3600 * hour + 1)), Step::kGoOn);
  }
}

TEST(GangPlacing, HalfOfTheJobIsGivenBackForAWhile) {
  GangPlacing placing(kPatience, 1);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin), Step::kGoOn);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(59)), Step::kGoOn);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(60)), Step::kGiveBack);
  EXPECT_EQ(placing.next({}, kBegin + seconds(89)), Step::kStayAway);
  EXPECT_EQ(placing.next(pods(1, 0), kBegin + seconds(160)), Step::kStayAway) << "not all pods are gone";
  EXPECT_EQ(placing.next({}, kBegin + seconds(161)), Step::kMakeAgain);
  EXPECT_EQ(placing.next(pods(2, 1), kBegin + seconds(162)), Step::kGoOn);
}

TEST(GangPlacing, TwoJobsDoNotComeBackTogether) {
  const auto back_after = [](std::uint32_t seed) {
    GangPlacing placing(kPatience, seed);
    placing.next(pods(1, 1), kBegin);
    placing.next(pods(1, 1), kBegin + kPatience);
    int waited = 0;
    while (placing.next({}, kBegin + kPatience + seconds(waited)) == Step::kStayAway) ++waited;
    return waited;
  };
  EXPECT_NE(back_after(1), back_after(2));
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    EXPECT_GE(back_after(seed), 30);
    EXPECT_LE(back_after(seed), 91);
  }
}

TEST(GangPlacing, WithoutPatienceNothingIsGivenBack) {
  GangPlacing placing(seconds(0), 1);
  placing.next(pods(1, 1), kBegin);
  EXPECT_EQ(placing.next(pods(1, 1), kBegin + seconds(3600)), Step::kGoOn);
}

}  // namespace

}  // namespace lockstep::service
