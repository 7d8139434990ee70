// A command line: launchers inside each other, wrappers, containers, and the program at the end. The flags of
// launchers (src/launchers) become values: "nnodes" of "torchrun", "btl_tcp_if_include" of MCA.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {

using launchers::Launcher;

void read_command(std::span<const std::string> words, const Reading& reading);

// What the launcher starts; empty when its flags cannot be told from its program.
Words read_launcher(const Launcher& launcher, std::span<const std::string> words, const Reading& reading);

// docker run, podman run: what the container is given. `words` follow "docker". What runs in the container;
// empty when it is not a run.
Words read_docker_run(std::span<const std::string> words, const Reading& reading);

// "64m", "1g", "8589934592".
std::optional<std::int64_t> size_in_bytes(std::string_view text);

}  // namespace lockstep::config
