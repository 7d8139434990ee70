// docker run, podman run: what the container is given.
#pragma once

#include <span>
#include <string>

#include "config/reading.h"

namespace lockstep::config {

// `words` follow "docker". What runs in the container; empty when it is not a run.
Words read_docker_run(std::span<const std::string> words, const Reading& reading);

// "64m", "1g", "8589934592".
std::optional<std::int64_t> size_in_bytes(std::string_view text);

}  // namespace lockstep::config
