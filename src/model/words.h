// The words of collective communication as types, made from the one list in lockstep/vocabulary.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lockstep/vocabulary.h"

namespace lockstep::model {

#define LOCKSTEP_ENUMERATOR(Name, number, text) k##Name = number,
enum class Operation : std::uint8_t { LOCKSTEP_OPERATIONS(LOCKSTEP_ENUMERATOR) };
enum class ReduceOp : std::uint8_t { LOCKSTEP_REDUCE_OPS(LOCKSTEP_ENUMERATOR) };
enum class DataType : std::uint8_t { LOCKSTEP_DATA_TYPES(LOCKSTEP_ENUMERATOR) };
enum class Activity : std::uint8_t { LOCKSTEP_ACTIVITIES(LOCKSTEP_ENUMERATOR) };
#undef LOCKSTEP_ENUMERATOR

// The printed word. A number from a newer recording that has no word here prints as "unknown".
std::string_view name_of(Operation operation);
std::string_view name_of(ReduceOp op);
std::string_view name_of(DataType type);
std::string_view name_of(Activity activity);

// The inverse; nullopt for a word that is not in the vocabulary.
std::optional<Operation> operation_named(std::string_view name);

}  // namespace lockstep::model
