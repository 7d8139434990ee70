#include "service/manifest/manifest.h"

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

TEST(Manifest, WhatCannotMeetIsRefused) {
  EXPECT_FALSE(manifest_of(ManifestKind::kJob, request(Framework::kHorovod)).ok());
  EXPECT_FALSE(manifest_of(ManifestKind::kPyTorchJob, request(Framework::kTensorFlow)).ok());
  EXPECT_FALSE(manifest_of(ManifestKind::kTfJob, request(Framework::kPyTorch)).ok());
}

}  // namespace
}  // namespace lockstep::service
