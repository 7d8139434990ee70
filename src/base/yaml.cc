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

constexpr std::size_t kMostAliasedNodes = 100000;

std::size_t nodes_in(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured()) {
    for (const Json& child : value) count += nodes_in(child);
  }
  return count;
}

// Builds a document with its lines, and puts what aliases name in their place.
class DocumentBuilder : public YAML::EventHandler {
 public:
  YamlDocument take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, Json(nullptr)); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) throw Refused{mark.line + 1, "an alias of what encloses it"};
    aliased_nodes_ += nodes_in(named->second);
    if (aliased_nodes_ > kMostAliasedNodes) throw Refused{mark.line + 1, "its aliases stand for too much"};
    add(mark, 0, named->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key) {
      open_.back().key = value;
      open_.back().has_key = true;
      document_.lines[path()] = mark.line + 1;
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
    YAML::anchor_t anchor = 0;
    std::string key = {};
    bool has_key = false;
  };

  // Of what is about to be placed.
  std::string path() const {
    std::string text;
    for (const Open& level : open_) {
      text += '/';
      text += level.value.is_array() ? std::to_string(level.value.size()) : level.key;
    }
    return text;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    if (open_.size() >= kDeepestJson) throw Refused{mark.line + 1, "nested too deeply"};
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key)
      throw Refused{mark.line + 1, "a key must be a word"};
    document_.lines.try_emplace(path(), mark.line + 1);
    open_.push_back({std::move(value), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.value;
    place(std::move(done.value));
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    document_.lines.try_emplace(path(), mark.line + 1);
    if (anchor != 0) anchors_[anchor] = value;
    place(std::move(value));
  }

  void merge_into(Json& target, const Json& merged) {
    if (merged.is_array()) {
      for (const Json& one : merged) merge_into(target, one);
    } else if (merged.is_object()) {
      for (const auto& [key, value] : merged.items()) {
        if (!target.contains(key)) target[key] = value;
      }
    }
  }

  void place(Json value) {
    if (open_.empty()) {
      document_.value = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      if (parent.key == "<<") {
        merge_into(parent.value, value);
      } else {
        parent.value[parent.key] = std::move(value);
      }
      parent.has_key = false;
    }
  }

  YamlDocument document_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Json> anchors_;
  std::size_t aliased_nodes_ = 0;
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

Result<std::vector<YamlDocument>> parse_yaml_documents(std::string_view text, std::string_view where) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    std::vector<YamlDocument> documents;
    while (true) {
      DocumentBuilder builder;
      if (!parser.HandleNextDocument(builder)) break;
      documents.push_back(builder.take());
    }
    return documents;
  } catch (const Refused& refused) {
    return refusal(where, refused.line, refused.why);
  } catch (const YAML::Exception& fault) {
    return refusal(where, fault.mark.line + 1, fault.msg);
  } catch (const std::exception& fault) {
    return refusal(where, 1, fault.what());
  }
}

}  // namespace lockstep::base
