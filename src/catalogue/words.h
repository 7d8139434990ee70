// The words of a catalogue file for the enumerations of symptom.h.
#pragma once

#include <optional>
#include <string_view>

#include "catalogue/symptom.h"

namespace lockstep::catalogue {

std::string_view word_for(Role role);
std::string_view word_for(Strength strength);
std::string_view word_for(model::Scope scope);
std::optional<Role> role_named(std::string_view word);
std::optional<Strength> strength_named(std::string_view word);
std::optional<model::Scope> scope_named(std::string_view word);
std::string_view word_for(Remedy remedy);
std::optional<Remedy> remedy_named(std::string_view word);

// "horovod", "!stage.train", "joined>world"; nullopt when it is none of these.
std::optional<Condition> condition_from(std::string_view text);

}  // namespace lockstep::catalogue
