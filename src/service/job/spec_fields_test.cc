#include "service/job/spec_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using base::Json;

DecodedSpec decoded(const std::string& text) {
  auto json = base::parse_json(text, "request");
  EXPECT_TRUE(json.ok()) << text;
  return decode_spec(json.value());
}

std::string first_fault(const std::string& text) {
  const DecodedSpec spec = decoded(text);
  return spec.faults.empty() ? "" : spec.faults.front().pointer + ": " + spec.faults.front().detail;
}

TEST(SpecFields, AScriptAndAWorkerCountAreEnough) {
  const DecodedSpec spec = decoded(R"({"script": "train.py", "workers": 4})");
  EXPECT_TRUE(spec.faults.empty());
  EXPECT_EQ(spec.spec.script, "train.py");
  EXPECT_EQ(spec.spec.workers_min, 4);
  EXPECT_EQ(spec.spec.workers_max, 4);
}

TEST(SpecFields, ATypoIsNotSilent) {
  EXPECT_EQ(first_fault(R"({"script": "t.py", "worker": 4})"), "/worker: no such field; was workers meant?");
}

TEST(SpecFields, HostsPortsAndRanksCannotBeSaid) {
  for (const char* name : {"hosts", "master_port", "rank", "interface"}) {
    EXPECT_FALSE(
        first_fault(std::string(R"({"script": "t.py", "workers": 4, ")") + name + R"(": 1})").empty())
        << name;
  }
}

TEST(SpecFields, EachWrongValueIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([1])", ": the body must be a JSON object"},
      {R"({"workers": 2})", ": give script or command, one of the two"},
      {R"({"script": "a", "command": ["a"], "workers": 2})", ": give script or command, one of the two"},
      {R"({"script": "a"})", "/workers: is missing"},
      {R"({"script": "a", "workers": 0})", "/workers: must be a whole number from 1 to 4096"},
      {R"({"script": "a", "workers": 2.5})", "/workers: must be a whole number from 1 to 4096"},
      {R"({"script": "a", "workers": 18446744073709551615})",
       "/workers: must be a whole number from 1 to 4096"},
      {R"({"script": "a", "workers": {"min": 4, "max": 2}})", "/workers: min must not be above max"},
      {R"({"script": "a", "workers": {"min": 4}})", "/workers: must have min and max, from 1 to 4096"},
      {R"({"script": "", "workers": 1})", "/script: must not be empty"},
      {R"({"script": "a\u0000b", "workers": 1})", "/script: must not hold a NUL byte"},
      {R"({"command": [], "workers": 1})", "/command: must have from 1 to 4096 words"},
      {R"({"command": [1], "workers": 1})", "/command: must be a list of texts without NUL bytes"},
      {R"({"script": "a", "workers": 1, "framework": "jax"})",
       "/framework: must be pytorch, tensorflow, horovod or plain"},
      {R"({"script": "a", "workers": 1, "labels": {"a/b": 1}})", "/labels/a~1b: must be a text"},
      {R"({"script": "a", "workers": 1, "directory": "here"})", "/directory: must be an absolute path"},
      {R"({"script": "a", "workers": 1, "environment": {"A=B": "c"}})",
       "/environment/A=B: is no name and value of a variable"},
      {R"({"script": "a", "workers": 1, "environment": {"RANK": "3"}})",
       "/environment/RANK: is set by the service for every rank"},
  };
  for (const auto& [request, fault] : cases) EXPECT_EQ(first_fault(request), fault) << request;
}

TEST(SpecFields, FilesStayInTheJobsFolder) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "", "a/", "./a", "a/."}) {
    EXPECT_FALSE(
        first_fault(std::string(R"({"script": "a", "workers": 1, "files": {")") + path + R"(": "x"}})")
            .empty())
        << path;
  }
  EXPECT_EQ(first_fault(R"({"script": "a", "workers": 1, "files": {"a/b.py": "x"}})"), "");
}

TEST(SpecFields, NamesOfFilesAreThoseThatAFileSystemTakes) {
  const auto fault_of = [](const std::string& files) {
    return first_fault(R"({"script": "a", "workers": 1, "files": {)" + files + "}}");
  };
  const std::string longest(255, 'n');
  EXPECT_EQ(fault_of("\"d/" + longest + "\": \"x\""), "");
  EXPECT_THAT(fault_of("\"d/" + longest + "n/x\": \"x\""), testing::EndsWith("inside the job's folder"));
  EXPECT_EQ(fault_of(R"("t.py": "x", "t.py/x": "x")"), "/files/t.py: is the folder of t.py/x too");
  EXPECT_EQ(fault_of(R"("t.py//a/x": "x", "t.py": "x")"), "/files/t.py: is the folder of t.py/a/x too");
  EXPECT_EQ(fault_of(R"("t/y": "x", "t/x": "x", "t.py": "x")"), "");
}

TEST(SpecFields, FilesAreTextsOrBase64) {
  const DecodedSpec spec =
      decoded(R"({"script": "a", "workers": 1, "files": {"a": "text", "b/c.bin": {"base64": "AP+A"}}})");
  ASSERT_TRUE(spec.faults.empty());
  EXPECT_EQ(spec.spec.files.at("a"), "text");
  EXPECT_EQ(spec.spec.files.at("b/c.bin"), std::string("\0\xff\x80", 3));
  EXPECT_EQ(decode_spec(encode_spec(spec.spec)).spec.files, spec.spec.files);
  for (const char* content : {"1", "null", R"({"base64": "x"})", R"({"base64": "AAAA", "mode": 1})", "{}"}) {
    EXPECT_EQ(first_fault(std::string(R"({"script": "a", "workers": 1, "files": {"a": )") + content + "}}"),
              "/files/a: must be a text, or an object with base64 alone");
  }
}

TEST(SpecFields, WhatIsEncodedDecodesToTheSameWithoutSecrets) {
  const char* request =
      R"({"script": "t.py", "args": ["--x"], "workers": {"min": 1, "max": 3}, "framework": "horovod",
    "cpus_per_worker": 2, "memory_per_worker": 2000000, "time_limit_s": 9, "retries": 1, "priority": -2,
    "environment": {"TOKEN": "hunter2"}, "labels": {"a": "b"}})";
  const Json first = encode_spec(decoded(request).spec);
  EXPECT_EQ(first.dump().find("hunter2"), std::string::npos);
  const DecodedSpec again = decode_spec(first);
  EXPECT_TRUE(again.faults.empty());
  EXPECT_EQ(encode_spec(again.spec), first);
}

TEST(SpecFields, EveryFieldOfTheTableIsUnderstood) {
  for (const SpecField& field : spec_fields()) EXPECT_FALSE(field.meaning.empty()) << field.name;
}

}  // namespace
}  // namespace lockstep::service
