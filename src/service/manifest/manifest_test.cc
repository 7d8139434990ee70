#include "service/manifest/manifest.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using base::Json;

ManifestRequest request(Framework framework) {
  ManifestRequest made;
  made.name = "train";
  made.image = "registry/image:1";
  made.command = {"python3", "train.py"};
  made.framework = framework;
  made.workers = 3;
  made.gpus_per_worker = 2;
  made.environment = {{"NCCL_DEBUG", "INFO"}};
  return made;
}

Json pointed(const Json& json, const char* pointer) {
  return json.at(Json::json_pointer(pointer));
}

TEST(Manifest, AJobNeedsNoOperator) {
  const Json made = manifest_of(ManifestKind::kJob, request(Framework::kPyTorch)).value();
  EXPECT_EQ(pointed(made, "/items/0/spec/clusterIP"), "None");
  EXPECT_EQ(pointed(made, "/items/0/spec/selector"), pointed(made, "/items/1/spec/template/metadata/labels"));
  EXPECT_EQ(pointed(made, "/items/1/spec/completionMode"), "Indexed");
  EXPECT_EQ(pointed(made, "/items/1/spec/completions"), 3);
  EXPECT_EQ(pointed(made, "/items/1/spec/template/spec/subdomain"), "train");
  const Json environment = pointed(made, "/items/1/spec/template/spec/containers/0/env");
  EXPECT_EQ(environment.at(3).at("value"), "train-0.train");
  EXPECT_EQ(pointed(made, "/items/1/spec/template/spec/containers/0/resources/limits").at("nvidia.com/gpu"),
            "2");
}

TEST(Manifest, TensorFlowIsToldOfAllServers) {
  const Json made = manifest_of(ManifestKind::kJobSet, request(Framework::kTensorFlow)).value();
  const Json environment =
      pointed(made, "/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env");
  EXPECT_EQ(environment.at(1).at("value"),
            R"({"cluster": {"worker": ["train-ranks-0-0.train:2222", "train-ranks-0-1.train:2222", )"
            R"("train-ranks-0-2.train:2222"]}, "task": {"type": "worker", "index": $(RANK)}})");
}

TEST(Manifest, OperatorsKnowTheirContainersByName) {
  const Json torch = manifest_of(ManifestKind::kPyTorchJob, request(Framework::kPyTorch)).value();
  EXPECT_EQ(pointed(torch, "/spec/pytorchReplicaSpecs/Worker/replicas"), 2);
  EXPECT_EQ(pointed(torch, "/spec/pytorchReplicaSpecs/Master/template/spec/containers/0/name"), "pytorch");
  const Json tensorflow = manifest_of(ManifestKind::kTfJob, request(Framework::kTensorFlow)).value();
  EXPECT_EQ(pointed(tensorflow, "/spec/tfReplicaSpecs/Worker/template/spec/containers/0/name"), "tensorflow");
  const Json mpi = manifest_of(ManifestKind::kMpiJob, request(Framework::kHorovod)).value();
  EXPECT_EQ(pointed(mpi, "/spec/mpiReplicaSpecs/Worker/replicas"), 3);
  EXPECT_EQ(pointed(mpi, "/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/command").back(),
            "train.py");
}

std::set<std::string> unknown_fields(const Json& object, const std::set<std::string>& known) {
  std::set<std::string> unknown;
  for (const auto& [name, value] : object.items()) {
    if (!known.contains(name)) unknown.insert(name);
  }
  return unknown;
}

// What the types of the operators have: a field that they do not know is dropped without a word.
TEST(Manifest, HasNoFieldThatItsOperatorWouldDrop) {
  struct Row {
    ManifestKind kind;
    Framework framework;
    const char* replicas;
    std::set<std::string> spec;
  };
  const Row rows[] = {
      {ManifestKind::kPyTorchJob,
       Framework::kPyTorch,
       "pytorchReplicaSpecs",
       {"runPolicy", "elasticPolicy", "pytorchReplicaSpecs", "nprocPerNode"}},
      {ManifestKind::kTfJob,
       Framework::kTensorFlow,
       "tfReplicaSpecs",
       {"runPolicy", "successPolicy", "tfReplicaSpecs", "enableDynamicWorker"}},
      {ManifestKind::kMpiJob,
       Framework::kHorovod,
       "mpiReplicaSpecs",
       {"runPolicy", "slotsPerWorker", "mpiReplicaSpecs", "sshAuthMountPath", "mpiImplementation"}}};
  const std::set<std::string> policy = {"cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds",
                                        "backoffLimit",   "schedulingPolicy",        "suspend"};
  for (const Row& row : rows) {
    ManifestRequest asked = request(row.framework);
    asked.time_limit_s = 60;
    const Json spec = manifest_of(row.kind, asked).value().at("spec");
    EXPECT_EQ(unknown_fields(spec, row.spec), std::set<std::string>()) << row.replicas;
    EXPECT_EQ(unknown_fields(spec.at("runPolicy"), policy), std::set<std::string>()) << row.replicas;
    EXPECT_EQ(spec.at("runPolicy").at("activeDeadlineSeconds"), 60) << row.replicas;
    for (const auto& [type, replicas] : spec.at(row.replicas).items())
      EXPECT_EQ(unknown_fields(replicas, {"replicas", "template", "restartPolicy"}), std::set<std::string>())
          << type;
  }
  const Json set = manifest_of(ManifestKind::kJobSet, request(Framework::kPyTorch)).value().at("spec");
  EXPECT_EQ(unknown_fields(set, {"replicatedJobs", "network", "successPolicy", "failurePolicy", "suspend"}),
            std::set<std::string>());
  EXPECT_EQ(
      unknown_fields(set.at("network"), {"enableDNSHostnames", "subdomain", "publishNotReadyAddresses"}),
      std::set<std::string>());
  EXPECT_EQ(unknown_fields(set.at("failurePolicy"), {"maxRestarts", "restartStrategy", "rules"}),
            std::set<std::string>());
  EXPECT_EQ(unknown_fields(set.at("replicatedJobs").at(0),
                           {"name", "groupName", "template", "replicas", "dependsOn"}),
            std::set<std::string>());
}

TEST(Manifest, WhatCannotMeetIsRefused) {
  EXPECT_FALSE(manifest_of(ManifestKind::kJob, request(Framework::kHorovod)).ok());
  EXPECT_FALSE(manifest_of(ManifestKind::kPyTorchJob, request(Framework::kTensorFlow)).ok());
  EXPECT_FALSE(manifest_of(ManifestKind::kTfJob, request(Framework::kPyTorch)).ok());
}

}  // namespace
}  // namespace lockstep::service
