#include "report/redact/redact.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/redact/masks.h"

namespace lockstep::report {
namespace {

// Names of hosts and users: learned wherever a line says that a word is one, then hidden everywhere.
class Names {
 public:
  explicit Names(StandIns& stand_ins) : stand_ins_(&stand_ins) {}

  void learn_host(std::string_view name);
  void learn_from(std::string_view text);
  // node018 is a host where node017 is one. After everything else was learned.
  void learn_siblings_in(std::string_view text);
  // A secret that one line gave away by its name may stand bare in another.
  void learn_secrets();

  std::string hidden_in(std::string_view text) const;

 private:
  void learn(Private kind, std::string_view name);

  void add(const std::string& name, const std::string& stand_in);

  StandIns* stand_ins_;
  std::set<std::string, std::less<>> host_shapes_;            // "node#"
  std::unordered_map<std::string, std::string> stand_in_of_;  // by name in lower case
  // Lengths of the names that begin with two letters, longest first: at each place of a text the longest name
  // counts, and most places begin none.
  std::unordered_map<std::string, std::set<std::size_t, std::greater<>>> lengths_;
};

// One group each: the name. Where a name may have a port, it stops before the colon.
constexpr std::string_view kHostPatterns[] = {
    R"(\b[a-z_][\w.+-]*@([a-z][a-z0-9.-]*[a-z0-9]))",                // user@host
    R"(\b[a-z][a-z0-9+.-]*://(?:[^/\s@]*@)?([a-z0-9][a-z0-9.-]*))",  // URLs
    R"((?m)^\s*(?:\[\S+\]:\s*)?([a-z][\w.-]*):\d+:\d+ \[\d+\] )",    // NCCL_DEBUG
    R"((?m)(?:^|[>:\s])\[([a-z][\w.-]*):\d{4,}(?::\d+)?\])",         // Open MPI
    R"((?m)\b(?:local |remote |peer |master )?host(?:name)?s?\s*[:=]\s*["']?([a-z][\w.-]*))",
    R"(\b(?:on|from|to) (?:node|host) ["']?([a-z][\w.-]*\d[\w.-]*|[a-z]\w*\.[\w.-]+|[a-z]+-[\w.-]+))",
    R"(\bon node ([a-z][\w.-]*) exited\b)",    // mpirun
    R"(\bsrun: error: ([a-z][\w.-]*): task)",  // Slurm
    R"(\*\*\* (?:JOB|STEP) \S+ ON ([a-z][\w.-]*) CANCELLED)",
    R"(\b(?:MASTER_ADDR|HOSTNAME|NODENAME|SLURMD_NODENAME|SLURM_LAUNCH_NODE_IPADDR)["']?\s*[:=]\s*["']?([a-z][\w.-]*))",
    R"(--(?:master[_-]addr|rdzv[_-]endpoint|main[_-]process[_-]ip|hosts?)[= ]["']?([a-z][\w.-]*))",
    R"(\[([a-z][\w.-]*)\]:\d{2,5}\b)",                                  // c10d: connect to [host]:port
    R"((?m)^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d ([a-z][\w.-]*) \S)",  // syslog
    R"(\b(ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[a-z0-9.-]*[a-z0-9])?)\b)",
    R"(\b((?:[a-z0-9-]+\.){1,8}(?:com|net|org|edu|gov|mil|internal|lan|corp|intra|cluster)(?:\.[a-z]{2})?)\b)",
    R"(\b((?:[a-z0-9-]+\.){2,8}(?:local|io|ai|dev|cloud|int|de|fr|uk|ch|nl|se|it|es|eu|cn|jp|kr|in|ca|au|br))\b)",
    R"(\b((?:[a-z0-9]+-)*(?:node|nid|dgx|hgx|compute)-?\d{1,6}(?:-\d+)?)\b)",
    R"(\b((?:node|nid|gpu|dgx|hgx|compute|cn|login|worker|server|vm)[a-z]*-?\d[\w-]*):\d{2,5}\b)",
};

constexpr std::string_view kWord[] = {R"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"};

constexpr std::string_view kUserPatterns[] = {
    R"((?:/home|/Users|/users)/([a-z_][\w.-]*))",
    R"((?:^|[\s"'=:(])/scratch/([a-z_][\w.-]*))",
    R"(\b([a-z_][\w.-]*)@[a-z][a-z0-9.-]*)",
    R"(://([^/\s:@]+)(?::[^/\s@]*)?@)",
    R"((?-i)\b(?:USER|LOGNAME|USERNAME|SLURM_JOB_USER|SUDO_USER)["']?\s*[:=]\s*["']?([A-Za-z_][\w.-]*))",
    R"(\buid=\d+\(([a-z_][\w.-]*)\))",
    R"(\b(?:user|owner|username|login)\s*[:=]\s*["']?([a-z_][\w.-]*))",
};

// Words that stand in these places without being anybody's name.
constexpr std::string_view kOrdinary[] = {
    "localhost",
    "localdomain",
    "none",
    "null",
    "true",
    "false",
    "unknown",
    "any",
    "all",
    "host",
    "hosts",
    "hostname",
    "node",
    "nodes",
    "rank",
    "worker",
    "workers",
    "master",
    "default",
    "local",
    "remote",
    "cpu",
    "gpu",
    "cuda",
    "nccl",
    "gloo",
    "mpi",
    "self",
    "error",
    "warning",
    "info",
    "container",
    "the",
    "a",
    "an",
    "is",
    "was",
    "not",
    "root",
    "user",
    "users",
    "username",
    "plt",
    "got",
    "train",
    "trainer",
    "data",
    "model",
    "python",
    "torch",
    "tensorflow",
    "keras",
    "horovod",
    "home",
    "work",
    "test",
    "main",
    "launcher",
    "threading.local",
    "kernel",
    "memory",
    "device",
    "for",
    "from",
    "to",
    "on",
    "in",
    "tcp",
    "file",
    "secret",
    "address",
    "email",
    "mac",
    "http",
    "https",
    "git",
    "conda",
    "base",
    "site-packages",
    "entry",
    "static",
    "env",
};

// Where everybody looks things up; a report may name them.
constexpr std::string_view kPublic[] = {
    "github.com",      "githubusercontent.com",
    "gitlab.com",      "pytorch.org",
    "tensorflow.org",  "python.org",
    "pypi.org",        "nvidia.com",
    "keras.io",        "readthedocs.io",
    "readthedocs.org", "huggingface.co",
    "google.com",      "googleapis.com",
    "wandb.ai",        "microsoft.com",
    "amazonaws.com",   "stackoverflow.com",
    "open-mpi.org",    "mpich.org",
    "schedmd.com",     "kernel.org",
    "debian.org",      "ubuntu.com",
    "anaconda.org",    "anaconda.com",
    "docker.com",      "docker.io",
    "kubernetes.io",   "example.org",
    "deepspeed.ai",    "ray.io",
    "arxiv.org",       "intel.com",
    "amd.com",         "apache.org",
};

// Ends of file names, which look like domains or hosts with a line number.
constexpr std::string_view kFileEnds[] = {".py",  ".cc",  ".cpp",  ".cxx",  ".c",   ".h",   ".hpp",
                                          ".cu",  ".cuh", ".go",   ".rs",   ".log", ".txt", ".out",
                                          ".err", ".so",  ".json", ".yaml", ".yml", ".sh",  ".js",
                                          ".pt",  ".pth", ".ckpt", ".gz",   ".zst", ".cfg"};

constexpr std::size_t kPrefix = 2;
constexpr std::size_t kLongest = 253;  // of a domain name

bool joins(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

bool is_public(std::string_view name) {
  return std::ranges::any_of(kPublic, [&](std::string_view host) {
    return name == host || (name.ends_with(host) && name[name.size() - host.size() - 1] == '.');
  });
}

bool is_name(std::string_view name) {
  const bool is_ordinary = std::ranges::find(kOrdinary, name) != std::end(kOrdinary);
  const bool is_file =
      std::ranges::any_of(kFileEnds, [&](std::string_view end) { return name.ends_with(end); });
  const bool has_letter =
      std::ranges::any_of(name, [](unsigned char letter) { return std::isalpha(letter) != 0; });
  static const base::Regex counted = base::Regex::of_our_own(
      R"(^(?:rank|local_rank|default|trainer|task|step|epoch|cuda|gpu|worker|ps|chief)[-_]?\d*$)");
  return name.size() >= kPrefix && name.size() <= kLongest && has_letter && !is_ordinary && !is_file &&
         !is_public(name) && !StandIns::is_stand_in(name) && !counted.found_in(name);
}

template <typename Visit>
void for_each_match(const std::vector<base::Regex>& patterns, std::string_view text, Visit visit) {
  for (const base::Regex& regex : patterns) {
    for (std::size_t from = 0; const auto match = regex.find(text, from);) {
      const auto [begin, end] = match->chosen;
      visit(text.substr(begin, end - begin), text.substr(begin));
      from = end > from ? end : from + 1;
    }
  }
}

// A pattern took "svc.cluster" of "svc.cluster.local".
bool is_cut(std::string_view after_name) {
  return after_name.size() > 1 && after_name[0] == '.' && joins(after_name[1]);
}

// "memcpy@plt", "git@github.com": nobody's name.
bool is_at_something_else(std::string_view after_name) {
  if (!after_name.starts_with('@')) return false;
  static const base::Regex what = base::Regex::of_our_own(R"(^@([a-z0-9.-]*[a-z0-9]))");
  const auto match = what.find(after_name, 0);
  if (!match) return true;
  const std::string host = lower(after_name.substr(1, match->chosen.end - 1));
  return !is_name(host) && host != "localhost" && !StandIns::is_stand_in(host);
}

// "zeus#-#" for zeus17-2; empty for a name without numbers, or with too few letters to tell it from a model
// of GPU.
std::string shape_of(std::string_view name) {
  constexpr int kFewestLetters = 3;
  std::string shape;
  int letters = 0;
  bool has_number = false;
  for (const char letter : name) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) ++letters;
    has_number |= is_digit;
    if (!is_digit) {
      shape += letter;
    } else if (!shape.ends_with('#')) {
      shape += '#';
    }
  }
  return has_number && letters >= kFewestLetters ? shape : "";
}

void Names::learn(Private kind, std::string_view typed) {
  while (!typed.empty() && (typed.back() == '.' || typed.back() == '-')) typed.remove_suffix(1);
  const std::string name = lower(typed);
  if (!is_name(name)) return;
  add(name, stand_ins_->stand_in_for(kind, name));
}

void Names::add(const std::string& name, const std::string& stand_in) {
  stand_in_of_.try_emplace(name, stand_in);
  lengths_[name.substr(0, kPrefix)].insert(name.size());
}

void Names::learn_siblings_in(std::string_view text) {
  static const std::vector<base::Regex> words = compiled(kWord);
  for_each_match(words, text, [&](std::string_view word, std::string_view) {
    const std::string shape = shape_of(lower(word));
    if (!shape.empty() && host_shapes_.contains(shape)) learn(Private::kHost, word);
  });
}

void Names::learn_secrets() {
  constexpr std::size_t kShortest = 6;
  for (const auto& [secret, stand_in] : stand_ins_->given(Private::kSecret)) {
    const bool is_word =
        std::ranges::all_of(secret, [](unsigned char letter) { return std::isalpha(letter) != 0; });
    if (secret.size() >= kShortest && secret.size() <= kLongest && !is_word) add(secret, stand_in);
  }
}

void Names::learn_host(std::string_view typed) {
  learn(Private::kHost, typed);
  const std::string name = lower(typed);
  if (is_name(name)) host_shapes_.insert(shape_of(name.substr(0, name.find('.'))));
  const std::string short_name = name.substr(0, name.find('.'));
  const bool tells_host =
      short_name.size() > 2 && short_name.find_first_of("0123456789-") != std::string::npos;
  if (short_name == name || !is_name(name) || !tells_host) return;
  stand_ins_->also_name(Private::kHost, name, short_name);
  learn(Private::kHost, short_name);
}

void Names::learn_from(std::string_view text) {
  static const std::vector<base::Regex> hosts = compiled(kHostPatterns);
  static const std::vector<base::Regex> users = compiled(kUserPatterns);
  for_each_match(hosts, text, [&](std::string_view name, std::string_view from_name) {
    if (!is_cut(from_name.substr(name.size()))) learn_host(name);
  });
  for_each_match(users, text, [&](std::string_view name, std::string_view from_name) {
    if (!is_at_something_else(from_name.substr(name.size()))) learn(Private::kUser, name);
  });
}

std::string Names::hidden_in(std::string_view text) const {
  const std::string lowered = lower(text);
  const auto is_inside_word = [&](std::size_t at) {
    return at > 0 && at < text.size() && joins(text[at - 1]) && joins(text[at]);
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto lengths = is_inside_word(at) ? lengths_.end() : lengths_.find(lowered.substr(at, kPrefix));
    const std::string* stand_in = nullptr;
    std::size_t taken = 1;
    if (lengths != lengths_.end()) {
      for (const std::size_t length : lengths->second) {
        if (at + length > text.size() || is_inside_word(at + length)) continue;
        const auto known = stand_in_of_.find(lowered.substr(at, length));
        if (known == stand_in_of_.end()) continue;
        stand_in = &known->second;
        taken = length;
        break;
      }
    }
    result.append(stand_in != nullptr ? std::string_view(*stand_in) : text.substr(at, 1));
    at += taken;
  }
  return result;
}

using Texts = std::vector<std::string*>;

// Every text that may come from the user's machines.
Texts texts_of(model::Verdict& verdict) {
  Texts texts = {&verdict.job.framework, &verdict.job.backend};
  for (model::Finding& finding : verdict.findings) {
    texts.push_back(&finding.title);
    texts.push_back(&finding.explanation);
    for (model::Evidence& evidence : finding.evidence) {
      texts.push_back(&evidence.file);
      texts.push_back(&evidence.text);
    }
    for (model::CodePlace& place : finding.places) {
      texts.push_back(&place.file);
      texts.push_back(&place.function);
    }
    for (model::Fix& fix : finding.fixes) {
      texts.push_back(&fix.title);
      for (std::string& step : fix.steps) texts.push_back(&step);
      for (std::string& command : fix.commands) texts.push_back(&command);
    }
  }
  for (std::string& limit : verdict.limits) texts.push_back(&limit);
  return texts;
}

// Whether anything was hidden.
bool redact_once(const Texts& texts, std::span<const std::string> host_names) {
  bool has_changed = false;
  const auto rewrite = [&](std::string& text, std::string other) {
    has_changed = has_changed || other != text;
    text = std::move(other);
  };
  StandIns stand_ins;
  Names names(stand_ins);
  for (const std::string* text : texts) stand_ins.reserve_those_in(*text);
  for (const std::string& name : host_names) names.learn_host(name);
  // What a host or user is called is learned from the URLs and addresses that the next step takes away.
  for (std::string* text : texts) rewrite(*text, without_secrets(*text, stand_ins));
  names.learn_secrets();
  for (const std::string* text : texts) names.learn_from(*text);
  for (const std::string* text : texts) names.learn_siblings_in(*text);
  for (std::string* text : texts) rewrite(*text, names.hidden_in(without_addresses(*text, stand_ins)));
  return has_changed;
}

}  // namespace

// A stand-in may let a pattern see what it could not see before ("10.0.0.1@gpu" is no user, "address-1@gpu"
// may be), so it goes on until nothing changes. Each pass leaves less to hide.
void redact_together(model::Verdict& verdict, const std::vector<std::string*>& others,
                     std::span<const std::string> host_names) {
  constexpr int kMaxPasses = 16;  // three are usual; a text made to keep changing must end too
  Texts texts = texts_of(verdict);
  texts.insert(texts.end(), others.begin(), others.end());
  bool has_changed = redact_once(texts, host_names);
  for (int pass = 1; pass < kMaxPasses && has_changed; ++pass) has_changed = redact_once(texts, {});
}

model::Verdict redact(model::Verdict verdict, std::span<const std::string> host_names) {
  redact_together(verdict, {}, host_names);
  return verdict;
}

}  // namespace lockstep::report
