#include "service/engine/kubernetes/kube_api.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {

namespace {

TEST(KubeApi, ARefusalHasTheServersWords) {
  EXPECT_EQ(reason_in({403, R"({"kind": "Status", "message": "pods is forbidden"})"}), "pods is forbidden");
  EXPECT_EQ(reason_in({502, "<html>"}), "it answered 502");
}

using testing::ElementsAre;
using testing::HasSubstr;

std::string config_with(const std::string& cluster, const std::string& user,
                        const std::string& context = "") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\npreferences: {}\ncontexts:\n- name: "
         "elsewhere\n"
         "  context: {cluster: x, user: y}\n- context:\n    cluster: lab\n    user: me\n" +
         context + "  name: here\nclusters:\n- name: lab\n  cluster:\n    " + cluster +
         "\nusers:\n- name: me\n  user:\n    " + user + "\n";
}

TEST(Kubeconfig, TheCurrentContextCounts) {
  const auto access = decode_kubeconfig(
      config_with("server: https://10.0.0.1:6443\n    certificate-authority-data: Q0E=", "token: abc",
                  "    namespace: team-a\n"),
      "/");
  ASSERT_TRUE(access.ok()) << access.error().why;
  EXPECT_EQ(access.value().host, "10.0.0.1");
  EXPECT_EQ(access.value().port, 6443);
  EXPECT_EQ(access.value().path, "");
  EXPECT_EQ(access.value().name_space, "team-a");
  EXPECT_EQ(access.value().authorities, "CA");
  EXPECT_EQ(access.value().token, "abc");
  EXPECT_FALSE(access.value().is_unverified);
}

TEST(Kubeconfig, ServersInEveryForm) {
  const auto path =
      decode_kubeconfig(config_with("server: https://rancher/k8s/clusters/c1/", "token: t"), "/");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path.value().host + path.value().path, "rancher/k8s/clusters/c1");
  EXPECT_EQ(path.value().port, 443);
  const auto six = decode_kubeconfig(config_with("server: https://[fd00::1]:6443", "token: t"), "/");
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six.value().host, "fd00::1");
  for (const char* server : {"http://10.0.0.1:8080", "https://", "https://host:0", "https://host:x", "''"})
    EXPECT_FALSE(decode_kubeconfig(config_with(std::string("server: ") + server, "token: t"), "/").ok())
        << server;
}

TEST(Kubeconfig, ACertificateComesWithItsKey) {
  const auto both = decode_kubeconfig(
      config_with("server: https://h", "client-certificate-data: QQ==\n    client-key-data: Qg=="), "/");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both.value().certificate + both.value().key, "AB");
  EXPECT_FALSE(
      decode_kubeconfig(config_with("server: https://h", "client-certificate-data: QQ=="), "/").ok());
  EXPECT_FALSE(decode_kubeconfig(config_with("server: https://h", "client-key-data: '?'"), "/").ok());
}

TEST(Kubeconfig, APluginIsAskedAsItWants) {
  const auto access = decode_kubeconfig(
      config_with("server: https://h",
                  "exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: bin/token\n"
                  "      args: [--cluster, lab]\n      env: [{name: A, value: b}]"),
      "/home/me/.kube");
  ASSERT_TRUE(access.ok()) << access.error().why;
  EXPECT_THAT(access.value().plugin, ElementsAre("/home/me/.kube/bin/token", "--cluster", "lab"));
  EXPECT_THAT(access.value().plugin_environment,
              ElementsAre("A=b", HasSubstr("\"apiVersion\":\"client.authentication.k8s.io/v1\"")));
  EXPECT_EQ(token_in(R"({"kind": "ExecCredential", "status": {"token": "xyz"}})").value(), "xyz");
  for (const char* text : {"", "{}", "[]", R"({"status": {"token": 7}})", R"({"status": {"token": "a b"}})"})
    EXPECT_FALSE(token_in(text).ok()) << text;
}

TEST(Kubeconfig, WhatCannotBeUsedIsSaid) {
  EXPECT_THAT(decode_kubeconfig("current-context: none", "/").error().why, HasSubstr("no context 'none'"));
  EXPECT_THAT(decode_kubeconfig("a: b", "/").error().why, HasSubstr("no current-context"));
  EXPECT_THAT(
      decode_kubeconfig(config_with("server: https://h", "username: me\n    password: x"), "/").error().why,
      HasSubstr("neither a token"));
  EXPECT_THAT(decode_kubeconfig(config_with("server: https://h", "token: a b"), "/").error().why,
              HasSubstr("no single word"));
  EXPECT_FALSE(
      decode_kubeconfig(config_with("server: https://h", "token: t", "    namespace: ../kube-system\n"), "/")
          .ok());
}

TEST(Kubeconfig, OfSeveralFilesTheFirst) {
  ::setenv("KUBECONFIG", "/a/config:/b/config", 1);
  EXPECT_EQ(default_kubeconfig(), "/a/config");
  ::unsetenv("KUBECONFIG");
}

}  // namespace

}  // namespace lockstep::service
