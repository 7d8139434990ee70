#include "config/files/shell_script.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "config/slurm.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using launchers::find_launcher;

// Slurm reads these lines up to the first command; later ones win over earlier ones, the command line over
// all.
void read_batch_lines(std::string_view text, const Reading& reading) {
  constexpr std::string_view kMark = "#SBATCH";
  LaunchConfig request;
  Reading here{request, reading.all, reading.place, reading.depth};
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = base::trimmed(*line);
    if (!content.empty() && !content.starts_with('#')) break;
    if (!line->starts_with(kMark)) continue;
    here.place.line = lines.number();
    Words typed = shell::words_of_line(line->substr(kMark.size()));
    const auto note =
        std::ranges::find_if(typed, [](const std::string& word) { return word.starts_with('#'); });
    typed.erase(note, typed.end());
    for (std::string& word : typed) word = shell::as_written(word);  // Slurm puts no variables in
    if (typed.size() == 1) {
      // `--gres gpu:8` without a value and the like: said, and the other lines stand.
      read_launcher(launchers::kSbatch, CommandLine(typed), here);
    } else if (!typed.empty()) {
      read_launcher(launchers::kSbatch, CommandLine(typed), here);
    }
  }
  reading.launch.add_missing(request);
}

bool is_job(const LaunchConfig& launch, const LaunchConfig& before) {
  const auto is_new = [&](const FieldPath& section) { return launch.has(section) && !before.has(section); };
  return launch.count(Fields::kLaunchers) > before.count(Fields::kLaunchers) || is_new(Fields::kContainers) ||
         is_new(Fields::kProgram);
}

// srun hostname, python setup.py.
bool is_idle(const LaunchConfig& launch) {
  const auto program = launch.get(Fields::kProgramWords);
  const bool only_carries = !launch.has(Fields::kTorchrun) && !launch.has(Fields::kDeepspeed) &&
                            !launch.has(Fields::kAccelerate) && !launch.has(Fields::kHorovod);
  return only_carries && program && launchers::starts_no_ranks(program->value);
}

// srun, mpirun, docker and ssh without a program that could be read.
bool starts_ranks(const LaunchConfig& launch) {
  for (const FieldPath& section :
       {FieldPath(Fields::kTorchrun), FieldPath(Fields::kDeepspeed), FieldPath(Fields::kAccelerate),
        FieldPath(Fields::kHorovod), FieldPath(Fields::kMpi), FieldPath(Fields::kSrun),
        FieldPath(Fields::kContainers), FieldPath(Fields::kUnreadLauncher)}) {
    if (launch.has(section)) return true;
  }
  return false;
}

class ScriptReader {
 public:
  ScriptReader(const Reading& reading, std::string name) : reading_(reading), name_(std::move(name)) {}

  std::vector<LaunchConfig> read(const shell::Script& script) {
    const shell::World world{
        .variable = [this](const std::string& variable) { return outer(variable); },
        .file = [this](const std::string& path) { return text_of(path); },
        .start = [this](const shell::Command& command) { return start(command); },
        .note = [this](const shell::Note& note) { tell(note); },
    };
    at_its_end_ = shell::interpret(script, world);
    return std::move(launches_);
  }

  // A script that starts nothing may be sourced by one that does.
  void put_variables_of_end(const Reading& inside) const { put_variables(at_its_end_, inside); }

 private:
  shell::Outer outer(const std::string& name) {
    using Kind = shell::Outer::Kind;
    if (name.starts_with("SLURM_")) {
      const auto told = slurm_value(reading_.launch, name);
      if (!told) return {};
      return {Kind::kKnown,
              {told->value, {}, {{name, {told->origin.file, told->origin.line.value_or(0)}, told->value}}}};
    }
    if (reading_.knows_caller && !is_set_by_launchers(name)) return {Kind::kUnset, {}};
    asked_for_.insert(name);
    return {};
  }

  std::optional<std::string> text_of(const std::string& path) const {
    for (const std::string& place : {path, beside(path)}) {
      if (place.empty()) continue;
      if (auto text = reading_.text_of(place); text.ok())
        return shell::without_control_characters(text.value());
    }
    return std::nullopt;
  }

  std::string beside(const std::string& path) const {
    const std::filesystem::path folder = std::filesystem::path(name_).parent_path();
    if (folder.empty() || path.starts_with('/')) return "";
    return (folder / path).lexically_normal().string();
  }

  void tell(const shell::Note& note) const {
    std::optional<std::int64_t> line;
    if (note.place.line > 0) line = note.place.line;
    reading_.all.faults.push_back(
        {note.place.file.empty() ? reading_.place.file : note.place.file, line, note.what});
  }

  // A word in front that only the running shell knows may be a launcher.
  bool may_hide_a_launcher(const shell::Command& command) const {
    const std::string& first = command.words.front().text;
    if (!shell::is_open(first) || command.is_captured) return false;
    return first.front() == shell::kOpenWords || first.front() == shell::kOpenPart;
  }

  std::vector<int> start(const shell::Command& command) {
    CommandLine line(command.words);
    Reading here = reading_;
    here.place.line = command.words.front().place.line;
    if (!command.words.front().place.file.empty()) here.place.file = command.words.front().place.file;
    if (here.place.line == 0) here.place.line = reading_.place.line;
    if (may_hide_a_launcher(command)) return start_hidden(command, line, here);
    if (!may_start_ranks(line.words())) return {};
    if (command.is_captured) {
      const auto found = find_launcher(line.words());
      if (!found || found->launcher == &launchers::kSrun) return {};
    }
    return start_launch(command, line, here);
  }

  // $PYTHON -m torch.distributed.run is Python, whichever; $LAUNCHER could be anything.
  std::vector<int> start_hidden(const shell::Command& command, const CommandLine& line, const Reading& here) {
    const bool is_module = line.size() > 2 && (line[1] == "-m" || line[1] == "-u");
    if (is_module && find_launcher(line.with(0, "python").words()))
      return start_launch(command, line.with(0, "python"), here);
    for (std::size_t at = 1; at < line.size(); ++at) {
      if (find_launcher(line.from(at).words()) || launchers::is_shell(launchers::program_name(line[at])))
        return start_launch(command, line.from(at), here);
    }
    const bool is_script =
        std::ranges::any_of(line.words(), [](const std::string& word) { return word.ends_with(".py"); });
    if (line.size() == 1 || is_script)
      here.fault(fmt::format("what {} starts is not known before it runs", shell::as_written(line.front())));
    return {};
  }

  std::vector<int> start_launch(const shell::Command& command, const CommandLine& line, const Reading& here) {
    LaunchConfig launch = reading_.launch;
    std::vector<LaunchConfig> several;
    Reading inside{launch, here.all, here.place, here.depth, &several, here.knows_caller, {}, command.files};
    inside.alongside = reading_.alongside;
    inside.alongside.insert(inside.alongside.end(), command.alongside.begin(), command.alongside.end());
    put_variables(command.environment, inside);
    read_command(line, inside, command.input);
    if (is_job(launch, reading_.launch)) several.push_back(std::move(launch));
    std::vector<int> numbers;
    for (LaunchConfig& one : several) {
      if (is_idle(one)) continue;
      if (!one.has(Fields::kStartNumber)) number(one, inside);
      numbers.push_back(static_cast<int>(one.number(Fields::kStartNumber).value_or(0)));
      launches_.push_back(std::move(one));
    }
    return numbers;
  }

  void number(LaunchConfig& launch, const Reading& inside) const {
    const Origin origin = inside.origin("command");
    launch.set(Fields::kStartNumber, inside.all.next_launch++, origin);
    launch.set(Fields::kStartFile, name_, origin);
    launch.set(Fields::kStartAlongside, base::Json::array(), origin);
    for (const int other : inside.alongside) launch.append(Fields::kStartAlongside, other, origin);
  }

  void put_variables(const shell::WordsByName& environment, const Reading& inside) const {
    inside.launch.erase(Fields::kVariables);
    inside.launch.erase(Fields::at_run_time(Fields::kVariables));
    // What the script asks its caller for, the caller may have set.
    for (const std::string& name : asked_for_) {
      if (!environment.contains(name))
        inside.put_variable(name, shell::open_part("$" + name), inside.origin("variable " + name));
    }
    for (const auto& [name, value] : environment) {
      Origin origin = inside.origin("variable " + name);
      if (value.place.line > 0) origin.line = value.place.line;
      if (!value.place.file.empty()) origin.file = value.place.file;
      inside.put_variable(name, value.text, origin);
    }
  }

  const Reading& reading_;
  std::string name_;
  std::set<std::string> asked_for_;
  shell::WordsByName at_its_end_;
  std::vector<LaunchConfig> launches_;
};

shell::WordsByName variables_of(const LaunchConfig& launch) {
  shell::WordsByName variables;
  const auto take = [&](const Field<TextMap>& field) {
    if (const auto known = launch.get(field)) {
      for (const auto& [name, value] : known->value) {
        const Origin* const origin = launch.origin_of(Fields::variable(name));
        const shell::Place place =
            origin == nullptr ? shell::Place{} : shell::Place{origin->file, origin->line.value_or(0)};
        variables[name] = {value, place, {}};
      }
    }
  };
  take(Fields::kVariables);
  if (const auto open = launch.get(Fields::kOpenVariables)) {
    for (const auto& [name, text] : open->value) variables[name] = {shell::open_part(text), {}, {}};
  }
  return variables;
}

std::vector<LaunchConfig> launches_of(const ShellText& text, const shell::Place& place,
                                      const Reading& reading) {
  const bool is_file = !text.name.empty();
  if (is_file) read_batch_lines(text.text, reading);
  if (!is_file && text.text.find("#SBATCH") != std::string::npos) read_batch_lines(text.text, reading);
  shell::Script script{.text = text.text,
                       .place = place,
                       .name = is_file ? text.name : reading.place.file,
                       .variables = variables_of(reading.launch),
                       .arguments = text.arguments};
  std::string name = script.name;
  ScriptReader reader(reading, std::move(name));
  std::vector<LaunchConfig> launches = reader.read(script);
  if (launches.empty() && is_file) reader.put_variables_of_end(reading);
  // Python by itself beside a launcher prepares or looks.
  if (std::ranges::any_of(launches, starts_ranks))
    std::erase_if(launches, [](const LaunchConfig& launch) { return !starts_ranks(launch); });
  return launches;
}

}  // namespace

void read_shell_text(const ShellText& text, const shell::Place& place, const Reading& reading) {
  if (reading.depth > kMaxReadingDepth) return;
  Reading inside = reading;
  ++inside.depth;
  const std::string& file = place.file.empty() ? reading.place.file : place.file;
  const std::int64_t line = place.line > 0 ? place.line : reading.place.line.value_or(0);
  std::vector<LaunchConfig> launches = launches_of(text, {file, line}, inside);
  if (launches.empty()) return;
  if (reading.finished != nullptr) {
    std::move(launches.begin(), launches.end() - 1, std::back_inserter(*reading.finished));
    reading.launch = std::move(launches.back());
  } else {
    reading.launch = std::move(launches.front());
  }
}

void read_script_file(const std::string& path, std::optional<std::vector<shell::Word>> arguments,
                      const Reading& reading) {
  if (shell::is_open(path) || reading.depth > kMaxReadingDepth)
    return reading.fault(fmt::format("what {} starts is not known before it runs", shell::as_written(path)));
  auto text = reading.text_of(path);
  if (!text.ok()) {
    const std::filesystem::path folder = std::filesystem::path(reading.place.file).parent_path();
    if (!folder.empty() && !path.starts_with('/'))
      text = reading.text_of((folder / path).lexically_normal().string());
  }
  if (!text.ok())
    return reading.fault(fmt::format("{} is not there to be read: what it starts is open", path));
  if (text.value().find('\0') != std::string::npos) return;  // a program of another kind
  ShellText script{shell::without_control_characters(text.value()), path, std::move(arguments)};
  read_shell_text(script, {path, 1}, reading);
}

void read_shell_script(std::string_view text, const Reading& reading) {
  ShellText script{shell::without_control_characters(text), reading.place.file, std::nullopt};
  std::vector<LaunchConfig> launches = launches_of(script, {reading.place.file, 1}, reading);
  std::move(launches.begin(), launches.end(), std::back_inserter(*reading.finished));
}

}  // namespace lockstep::config
