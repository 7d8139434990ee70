#include "base/yaml.h"

#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace lockstep::base {
namespace {

struct Refused {
  int line;
  std::string why;
};

// Builds the value from the parser's events; nothing else of the document is ever in memory.
class JsonBuilder : public YAML::EventHandler {
 public:
  Json take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, Json(nullptr)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "aliases are not allowed");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key) {
      if (open_.back().value.contains(value)) refuse(mark, fmt::format("'{}' stands there twice", value));
      open_.back().key = value;
      open_.back().has_key = true;
      return;
    }
    add(mark, anchor, Json(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, Json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, Json::object());
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Json value;
    std::string key = {};
    bool has_key = false;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string why) {
    throw Refused{mark.line + 1, std::move(why)};
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    if (anchor != 0) refuse(mark, "anchors are not allowed");
    if (open_.size() >= kDeepestJson) refuse(mark, "nested too deeply");
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key)
      refuse(mark, "a key must be a word");
    open_.push_back({std::move(value)});
  }

  void close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    place(std::move(value));
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    if (anchor != 0) refuse(mark, "anchors are not allowed");
    place(std::move(value));
  }

  void place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      parent.value[parent.key] = std::move(value);
      parent.has_key = false;
    }
  }

  Json root_;
  std::vector<Open> open_;
};

Error refusal(std::string_view where, int line, const std::string& why) {
  return {"cannot read YAML", fmt::format("{}:{}", where, line), why, ""};
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, std::string_view where) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    JsonBuilder builder;
    parser.HandleNextDocument(builder);
    return builder.take();
  } catch (const Refused& refused) {
    return refusal(where, refused.line, refused.why);
  } catch (const YAML::Exception& fault) {
    return refusal(where, fault.mark.line + 1, fault.msg);
  } catch (const std::exception& fault) {
    return refusal(where, 1, fault.what());
  }
}

}  // namespace lockstep::base
