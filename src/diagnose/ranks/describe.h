// The model's things in words, for titles, explanations and evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

std::string percent(double share);                  // "12 %", "3.5 %" below ten
std::string with_commas(std::uint64_t number);      // "1,204"
std::string duration_in_words(double duration_ns);  // "12 ms", "3.5 s"

// The innermost of the user's own lines; none where all frames are a framework's. Of a finding, places at the
// same line are one.
std::optional<model::CodePlace> code_place(const model::Stack& stack, std::vector<int> ranks);
void add_place(model::Finding& finding, model::CodePlace place);

// "default_pg"
std::string name_of(const model::Job& job, model::CommunicatorId communicator);

// "group default_pg"; the number or hash a framework gave is used only where there is no better name.
std::string describe(const model::Job& job, model::CommunicatorId communicator);

// "rank 3", "ranks 0-2 and 5": for the start of a sentence or the middle.
std::string ranks_in_words(const std::vector<int>& ranks);

// The frame that a site names first: the innermost of the user's own, else the innermost. Null: no frame at
// all.
const model::Frame* calling_frame(const model::Stack& stack);

// "train.py:33 in forward < train.py:90 in main": the user's frames, innermost first.
std::string describe(const model::Stack& stack);

// "all_reduce #204 in group default_pg, float32 [1024]: issued, not finished; at train.py:33 in step"
std::string describe(const model::Job& job, const model::Event& event);

// With a capital letter at the start of each sentence and no space at the end.
std::string as_sentences(std::string text);

std::string source_name(const model::Job& job, model::SourceId source);
// What the rank's file as a whole tells; none of its lines does.
model::Evidence evidence_about(const model::Job& job, const model::RankHistory& history, std::string text,
                               model::EvidenceLevel level);

// The event as a place a person can look at.
model::Evidence evidence_of(const model::Job& job, EventPlace place);

// "2026-01-02 10:00:03 UTC"
std::string time_in_words(std::int64_t time_ns);

}  // namespace lockstep::ranks
