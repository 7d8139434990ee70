#include "service/engine/kubernetes/attempt_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace lockstep::service {
namespace {

using base::Json;
using testing::ElementsAre;

const Json kOwner = {{"metadata", {{"name", "lockstep-job-x-2"}, {"uid", "u-1"}}}};

Plan planned() {
  Plan plan;
  plan.job_id = "job_x";
  plan.attempt = 2;
  plan.workers = 4;
  plan.nodes = 4;
  plan.command = {"python3", "secret"};
  plan.kubernetes = KubernetesRequest{.kubeconfig = "/k",
                                      .pod = usual_pod("lab:1", "/state"),
                                      .millicpus = 2000,
                                      .memory = 1 << 30,
                                      .gpus = 1,
                                      .hosts = 2,
                                      .excluded_nodes = {"n2", "n7"}};
  return plan;
}

TEST(AttemptObjects, ARankIsAPodThatItsOwnerTakesAlong) {
  const Plan plan = planned();
  const Json pod = pod_object(plan, kOwner, 3, "/usr/bin/lockstep", "/state/jobs/job_x/2");
  EXPECT_EQ(base::text_at(pod, "metadata", "name"), "lockstep-job-x-2-3");
  EXPECT_EQ(base::text_at(pod["metadata"]["ownerReferences"][0], "uid"), "u-1");
  EXPECT_EQ(base::text_at(pod, "metadata", "labels", kRankLabel), "3");
  const Json& spec = pod["spec"];
  EXPECT_EQ(base::text_at(spec, "restartPolicy"), "Never");
  EXPECT_EQ(base::text_at(spec, "subdomain"), kube_name(plan));
  const Json& container = spec["containers"][0];
  EXPECT_EQ(container["command"], Json({"/usr/bin/lockstep", "service-part", "node", "/state/jobs/job_x/2"}));
  EXPECT_EQ(
      container["resources"],
      Json::parse(
          R"({"requests": {"cpu": "2000m"}, "limits": {"memory": "1342177280", "nvidia.com/gpu": "1"}})"));
  EXPECT_EQ(spec["volumes"].size(), 2U) << "the state, and /dev/shm";
}

TEST(AttemptObjects, RanksOfAHostStayTogetherAndApartFromTheOthers) {
  const Plan plan = planned();
  const auto host_of_rank = [&](int rank) {
    const Json pod = pod_object(plan, kOwner, rank, "l", "/f");
    const Json& affinity = pod["spec"]["affinity"];
    const auto expression = [&](const char* kind) {
      return affinity[kind]["requiredDuringSchedulingIgnoredDuringExecution"][0]["labelSelector"]
                     ["matchExpressions"][0];
    };
    EXPECT_EQ(expression("podAffinity")["operator"], "In");
    EXPECT_EQ(expression("podAntiAffinity")["operator"], "NotIn");
    EXPECT_EQ(affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
                      [0]["matchFields"]
                          .size(),
              2U);
    return base::text_at(pod, "metadata", "labels", "lockstep-host");
  };
  EXPECT_THAT((std::vector{host_of_rank(0), host_of_rank(1), host_of_rank(2), host_of_rank(3)}),
              ElementsAre("0", "0", "1", "1"));
}

TEST(AttemptObjects, ATemplateKeepsWhatItSays) {
  const auto pod = decode_pod_template(
      "kind: Pod\nmetadata: {annotations: {a: b}, labels: {team: x}}\nspec:\n  "
      "terminationGracePeriodSeconds: 60\n"
      "  tolerations: [{key: gpu, operator: Exists}]\n  containers:\n  - name: main\n    image: i:1\n    "
      "args: [x]\n"
      "    securityContext: {runAsUser: 1000}\n    env: [{name: A, value: '1'}]\n"
      "    volumeMounts: [{name: m, mountPath: /dev/shm}]\n",
      "t");
  ASSERT_TRUE(pod.ok()) << pod.error().why;
  Plan plan = planned();
  plan.kubernetes->pod = pod.value();
  plan.kubernetes->hosts = 0;
  plan.kubernetes->excluded_nodes.clear();
  const Json made = pod_object(plan, kOwner, 0, "l", "/f");
  const Json& container = made["spec"]["containers"][0];
  EXPECT_EQ(made["spec"]["terminationGracePeriodSeconds"], 60);
  EXPECT_EQ(container["securityContext"]["runAsUser"], 1000);
  EXPECT_EQ(container["name"], "main");
  EXPECT_EQ(container["env"].size(), 3U);
  EXPECT_EQ(container["volumeMounts"].size(), 1U);
  EXPECT_FALSE(container.contains("args"));
  EXPECT_FALSE(made["spec"].contains("affinity"));
  EXPECT_EQ(base::text_at(made, "metadata", "labels", "team"), "x");
  EXPECT_EQ(base::text_at(made, "metadata", "annotations", "a"), "b");
}

TEST(AttemptObjects, WhatIsNoPodIsRefused) {
  for (const char* text : {"", "[]", "kind: Job", "kind: Pod", "kind: Pod\nspec: {containers: []}",
                           "kind: Pod\nspec: {containers: [x]}", "kind: Pod\nspec: {containers: [{name: a}]}",
                           "kind: Pod\nmetadata: 7\nspec: {containers: [{image: a}]}",
                           "kind: Pod\nspec: {affinity: 7, containers: [{image: a}]}",
                           "kind: Pod\nspec: {containers: [{image: a, resources: {limits: x}}]}", "{"})
    EXPECT_FALSE(decode_pod_template(text, "t").ok()) << text;
}

TEST(AttemptObjects, VariablesTravelAsASecretWithoutThoseOfThisMachine) {
  EXPECT_THAT(environment_for_pods({"PATH=/bin", "HOME=/root", "TOKEN=x", "PYTHONPATH=/a"}),
              ElementsAre("TOKEN=x", "PYTHONPATH=/a"));
  EXPECT_EQ(secret_object(planned(), kOwner, {"TOKEN=a=b"})["data"], Json({{"TOKEN", "YT1i"}}));
}

}  // namespace
}  // namespace lockstep::service
