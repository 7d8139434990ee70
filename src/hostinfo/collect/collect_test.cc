#include "hostinfo/collect/collect.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostinfo/collect/parts.h"

namespace lockstep::hostinfo {
namespace {

using testing::ElementsAre;

TEST(Environment, SecretsAreMaskedAndSettingsKept) {
  const auto made =
      masked({"NCCL_SOCKET_IFNAME=eth0", "WANDB_API_KEY=abc", "HF_TOKEN=hf_x",
              "EMPTY_TOKEN=", "https_proxy=http://user:pw@proxy:3128", "http_proxy=http://proxy:3128",
              "NOTE=ghp_0123456789", "SSH_AUTH_SOCK=/run/agent", "=odd", "PATH=/bin"});
  EXPECT_EQ(made.at("NCCL_SOCKET_IFNAME"), "eth0");
  EXPECT_TRUE(is_secret("NOTE", "Basic dXNlcjpwdw=="));
  EXPECT_TRUE(is_secret("SETTINGS", "{\"k\": \"wJalrXUtnFEMIK7MDENG\"}")) << "whatever stands around it";
  EXPECT_FALSE(
      is_secret("LD_LIBRARY_PATH", "/opt/spack/gcc-12.2.0-k3jx5hgmb7wm6yq2/lib:/usr/local/CUDA-12.4"));
  EXPECT_FALSE(is_secret("NVIDIA_VISIBLE_DEVICES", "GPU-5f3c1a52-8f0c-4b5e-9d6a-0f6d2b7c1e55"));
  EXPECT_FALSE(is_secret("TF_CONFIG", "{\"cluster\": {\"worker\": [\"node1.example.org:2222\"]}}"));
  EXPECT_EQ(made.at("WANDB_API_KEY"), kMasked);
  EXPECT_EQ(made.at("HF_TOKEN"), kMasked);
  EXPECT_EQ(made.at("EMPTY_TOKEN"), "");
  EXPECT_EQ(made.at("https_proxy"), kMasked);
  EXPECT_EQ(made.at("http_proxy"), "http://proxy:3128");
  EXPECT_EQ(made.at("NOTE"), kMasked);
  EXPECT_EQ(made.at("SSH_AUTH_SOCK"), "/run/agent");
  EXPECT_EQ(made.at("PATH"), "/bin");
  EXPECT_EQ(made.size(), 9U);
}

TEST(Names, ComeFromWhatLaunchersSet) {
  EXPECT_THAT(names_in({{"MASTER_ADDR", "node0"},
                        {"PET_RDZV_ENDPOINT", "node9:29400"},
                        {"TF_CONFIG", R"({"cluster": {"worker": ["a:2222", "[fd00::1]:2222"], "ps": 3}})"}}),
              ElementsAre("node0", "node9", "a", "fd00::1"));
  EXPECT_TRUE(names_in({{"TF_CONFIG", "{"}}).empty());
}

TEST(Names, ALiteralAddressResolvesToItself) {
  const ResolvedName resolved = resolve("10.1.2.3");
  EXPECT_THAT(resolved.ipv4, ElementsAre(*base::parse_address("10.1.2.3")));
  EXPECT_THAT(resolved.ipv6, ElementsAre(*base::parse_address("::ffff:10.1.2.3")));
}

TEST(Sockets, OnlyThoseThatListen) {
  const auto sockets = listening_in(
      "  sl  local_address rem_address   st tx_queue rx_queue\n"
      "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
      "   1: 0100007F:733D 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0\n"
      "   2: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 0\n"
      "   3: zz:0016 0:0 0A\n");
  ASSERT_EQ(sockets.size(), 2U);
  EXPECT_EQ(to_text(sockets[0].address), "127.0.0.1");
  EXPECT_EQ(sockets[0].port, 29500);
  EXPECT_EQ(to_text(sockets[1].address), "::1");
}

TEST(Devices, GpusAsTheDriverListsThem) {
  const auto found =
      gpus_in("0, GPU-aa, NVIDIA H200, 00000000:3B:00.0, 143771, 550.54.15\nNo devices were found\n");
  ASSERT_EQ(found.gpus.size(), 1U);
  EXPECT_EQ(found.gpus[0].uuid, "GPU-aa");
  EXPECT_EQ(found.gpus[0].memory_bytes, std::uint64_t{143771} << 20);
  EXPECT_EQ(found.driver, "550.54.15");
  EXPECT_EQ(module_version_in(
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build\n"),
            "550.54.15");
  EXPECT_EQ(module_version_in("nothing"), "");
}

TEST(Devices, RdmaPortsWithTheirAddresses) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "lockstep-facts-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const fs::path port = folder / "mlx5_0/ports/1";
  fs::create_directories(port / "gids");
  fs::create_directories(port / "gid_attrs/types");
  std::ofstream(port / "state") << "4: ACTIVE\n";
  std::ofstream(port / "link_layer") << "Ethernet\n";
  std::ofstream(port / "gids/0") << "0000:0000:0000:0000:0000:0000:0000:0000\n";
  std::ofstream(port / "gids/3") << "0000:0000:0000:0000:0000:ffff:0a00:0001\n";
  std::ofstream(port / "gid_attrs/types/3") << "RoCE v2\n";
  const auto devices = rdma_devices_in(folder);
  fs::remove_all(folder);
  ASSERT_EQ(devices.size(), 1U);
  ASSERT_EQ(devices[0].ports.size(), 1U);
  EXPECT_EQ(devices[0].ports[0].state, "ACTIVE");
  ASSERT_EQ(devices[0].ports[0].gids.size(), 1U);
  EXPECT_EQ(devices[0].ports[0].gids[0].index, 3U);
  EXPECT_EQ(devices[0].ports[0].gids[0].type, "RoCE v2");
}

TEST(Software, LibrariesAreFoundAsTheLoaderFindsThem) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "lockstep-facts-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  std::ofstream(folder / "libnccl-net.so") << "";
  const std::vector<fs::path> usual = {folder};
  EXPECT_EQ(library_in("", usual, "libnccl-net.so"), (folder / "libnccl-net.so").string());
  EXPECT_EQ(library_in("/nowhere", {}, "libnccl-net.so"), "");
  EXPECT_EQ(library_in("", {}, (folder / "libnccl-net.so").string()), (folder / "libnccl-net.so").string());
  fs::remove_all(folder);
}

TEST(Software, LogindsLastWordOnSharedMemoryCounts) {
  EXPECT_EQ(removes_ipc("[Login]\n#RemoveIPC=yes\n"), std::nullopt);
  EXPECT_EQ(removes_ipc("[Login]\nRemoveIPC=yes\n RemoveIPC=no\n"), false);
  EXPECT_EQ(removes_ipc("RemoveIPC=yes"), true);
}

}  // namespace
}  // namespace lockstep::hostinfo
