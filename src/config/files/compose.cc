// docker compose: each service is a container.
#include <fmt/format.h>

#include "config/command.h"
#include "config/files/shell_words.h"
#include "config/files/yaml_file.h"

namespace lockstep::config {
namespace {

void read_environment(const YamlNode& node, const std::string& container, const Reading& reading) {
  for (const std::string& name : node.keys())
    reading.settings.set(container + "/env/" + name, node[name].text(), node[name].origin());
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string text = node.at(i).text();
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos)
      reading.settings.set(container + "/env/" + text.substr(0, equals), text.substr(equals + 1),
                           node.at(i).origin());
  }
}

Words words_of(const YamlNode& node) {
  Words words;
  for (std::size_t i = 0; i < node.size(); ++i) words.push_back(node.at(i).text());
  if (!words.empty()) return words;
  const std::string text = node.text();
  ShellWords shell(text, [](const std::string&) { return std::nullopt; });
  if (const auto command = shell.next()) words = command->words;
  return words;
}

void read_service(const std::string& name, const YamlNode& service, const Reading& reading) {
  const std::string container =
      reading.settings.append(field::kContainers, base::Json::object(), service.origin());
  reading.settings.set(container + "/name", name, service.origin());
  const auto copy = [&](const char* key, const char* to) {
    if (!service[key].text().empty())
      reading.settings.set(fmt::format("{}/{}", container, to), service[key].text(), service[key].origin());
  };
  copy("hostname", "hostname");
  copy("network_mode", "network");
  copy("ipc", "ipc");
  copy("image", "image");
  if (const auto size = size_in_bytes(service["shm_size"].text()))
    reading.settings.set(container + "/shm_bytes", *size, service["shm_size"].origin());
  if (service["networks"].exists())
    reading.settings.set_default(container + "/network", "compose", service["networks"].origin());
  for (const std::string& limit : service["ulimits"].keys()) {
    const YamlNode value = service["ulimits"][limit];
    const std::string soft = value["soft"].exists() ? value["soft"].text() : value.text();
    reading.settings.set(container + "/ulimits/" + limit, soft, value.origin());
  }
  for (const char* list : {"devices", "cap_add", "ports"}) {
    const YamlNode items = service[list];
    const std::string_view to = std::string_view(list) == "devices" ? "device"
                                : std::string_view(list) == "ports" ? "publish"
                                                                    : "cap_add";
    for (std::size_t i = 0; i < items.size(); ++i)
      reading.settings.append(fmt::format("{}/{}", container, to), items.at(i).text(), items.at(i).origin());
  }
  read_environment(service["environment"], container, reading);
  const Words command = words_of(service["command"]);
  if (!command.empty()) {
    Reading inside = reading;
    inside.place = service["command"].origin();
    inside.place.how.clear();
    read_command(command, inside);
  }
}

}  // namespace

void read_compose(const YamlNode& file, const Reading& reading) {
  reading.settings.set(field::kCompose, base::Json::object(), file.origin());
  const YamlNode services = file["services"];
  for (const std::string& name : services.keys()) read_service(name, services[name], reading);
}

}  // namespace lockstep::config
