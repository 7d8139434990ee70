// Flags of verbs that start this program on other hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "hostinfo/remote.h"

namespace lockstep::cli {

inline constexpr Flag kProgramFlag = {.name = "program",
                                      .value_name = "PATH",
                                      .help = "Where lockstep is on those hosts",
                                      .default_value = "lockstep"};
inline constexpr Flag kSendFlag = {
    .name = "send", .help = "Copy this program to those hosts first (same distribution needed)"};
inline constexpr Flag kRemoveItselfFlag = {
    .name = "remove-itself", .help = "Remove this program's file first: it was copied by --send"};

// Of lists with commas.
std::vector<std::string> words_in(const std::vector<std::string>& lists);

// What --via, --program and --send say.
hostinfo::RemoteRequest remote_request(const Args& args, std::vector<std::string> hosts);

}  // namespace lockstep::cli
