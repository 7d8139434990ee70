#include "config/files/yaml_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/files/shell_script.h"
#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using Container = Fields::Container;

void read_environment(const YamlNode& node, const NamedField<TextMap>& variables, const Reading& reading) {
  for (const std::string& name : node.keys())
    reading.launch.set(Fields::entry(variables, name), node[name].text(), node[name].origin());
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string text = node.at(i).text();
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos)
      reading.launch.set(Fields::entry(variables, text.substr(0, equals)), text.substr(equals + 1),
                         node.at(i).origin());
  }
}

Words words_of(const YamlNode& node) {
  Words words;
  for (std::size_t i = 0; i < node.size(); ++i) words.push_back(node.at(i).text());
  if (!words.empty()) return words;
  const std::string text = node.text();
  return shell::words_of_line(text);
}

void read_service(const std::string& name, const YamlNode& service, const Reading& reading) {
  const auto container = reading.launch.append_group(Fields::kContainers, service.origin());
  reading.launch.set(container.at(Container::kName), name, service.origin());
  const auto copy = [&](const char* key, const Member<std::string>& to) {
    if (!service[key].text().empty())
      reading.launch.set(container.at(to), service[key].text(), service[key].origin());
  };
  copy("hostname", Container::kHostName);
  copy("network_mode", Container::kNetwork);
  copy("ipc", Container::kIpc);
  copy("image", Container::kImage);
  if (const auto size = size_in_bytes(service["shm_size"].text()))
    reading.launch.set(container.at(Container::kSharedMemoryBytes), *size, service["shm_size"].origin());
  if (service["networks"].exists())
    reading.launch.set_default(container.at(Container::kNetwork), "compose", service["networks"].origin());
  for (const std::string& limit : service["ulimits"].keys()) {
    const YamlNode value = service["ulimits"][limit];
    const std::string soft = value["soft"].exists() ? value["soft"].text() : value.text();
    reading.launch.set(Fields::entry(container.at(Container::kLimits), limit), soft, value.origin());
  }
  for (const auto& [key, list] :
       {std::pair("devices", Container::kDevices), std::pair("cap_add", Container::kCapabilities),
        std::pair("ports", Container::kPublished)}) {
    const YamlNode items = service[key];
    for (std::size_t i = 0; i < items.size(); ++i)
      reading.launch.append(container.at(list), items.at(i).text(), items.at(i).origin());
  }
  read_environment(service["environment"], container.at(Container::kVariables), reading);
  const Words command = words_of(service["command"]);
  if (!command.empty()) {
    Reading inside = reading;
    inside.place = service["command"].origin();
    inside.place.how.clear();
    read_command(CommandLine(command), inside);
  }
}

}  // namespace

// docker compose: each service is a container.
void read_compose(const YamlNode& file, const Reading& reading) {
  reading.launch.set(Fields::kCompose, base::Json::object(), file.origin());
  const YamlNode services = file["services"];
  for (const std::string& name : services.keys()) read_service(name, services[name], reading);
}

YamlKind kind_of(const base::YamlDocument& document) {
  const base::Json& value = document.value;
  if (!value.is_object()) return YamlKind::kUnknown;
  if (value.contains("apiVersion") && value.contains("kind")) return YamlKind::kKubernetes;
  if (value.contains("services")) return YamlKind::kCompose;
  for (const char* key : {"compute_environment", "distributed_type", "num_machines", "num_processes"}) {
    if (value.contains(key)) return YamlKind::kAccelerate;
  }
  return YamlKind::kUnknown;
}

YamlNode YamlNode::operator[](std::string_view key) const {
  const std::string path = path_ + "/" + std::string(key);
  if (!is_object()) return {*this, nullptr, path};
  const auto found = value_->find(key);
  return {*this, found == value_->end() ? nullptr : &*found, path};
}

YamlNode YamlNode::at(std::size_t index) const {
  const std::string path = path_ + "/" + std::to_string(index);
  return {*this, index < size() ? &(*value_)[index] : nullptr, path};
}

std::string YamlNode::text() const {
  return exists() && value_->is_string() ? value_->get<std::string>() : std::string();
}

bool YamlNode::is_true() const {
  std::string word = text();
  std::ranges::transform(word, word.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return word == "true" || word == "yes" || word == "on";
}

Origin YamlNode::origin() const {
  std::string key = path_.empty() ? "" : path_.substr(1);
  std::ranges::replace(key, '/', '.');
  std::string_view path = path_;
  while (true) {
    const auto line = document_->lines.find(std::string(path));
    if (line != document_->lines.end()) return {*file_, line->second, "key " + key};
    if (path.empty()) return {*file_, std::nullopt, "key " + key};
    path = path.substr(0, path.rfind('/'));
  }
}

std::vector<std::string> YamlNode::keys() const {
  std::vector<std::string> names;
  if (is_object()) {
    for (const auto& [name, value] : value_->items()) names.push_back(name);
  }
  return names;
}

void read_accelerate(const YamlNode& file, const Reading& reading) {
  reading.launch.set_default(Fields::kAccelerate, base::Json::object(), file.origin());
  const auto take = [&](const YamlNode& node, const std::string& name) {
    // What is on the command line wins over the file.
    if (!node.text().empty())
      reading.launch.set_default(Fields::flag(launchers::kAccelerate, name), node.text(), node.origin());
  };
  for (const std::string& key : file.keys()) {
    const YamlNode value = file[key];
    take(value, key);
    for (const std::string& inner : value.keys()) take(value[inner], inner);
  }
}

}  // namespace lockstep::config
