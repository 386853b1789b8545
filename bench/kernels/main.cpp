// Writes the text of every generated kernel of recorded samples, and compares those of two builds. `./dev kernels` runs it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "bench/kernels/hashes.h"
#include "bench/kernels/texts.h"
#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/select/select.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cpu/processors.h"

namespace kernels {
namespace {

namespace fs = std::filesystem;

constexpr unsigned mostSeconds = 300;  // that a job may take
constexpr const char* hashesName = "hashes.txt";

/// The samples of an operator, one after another.
struct Group {
  size_t first = 0, count = 0;
};

/// The samples of an operator follow each other, in the order in which they were read.
std::vector<inputs::Sample> samplesIn(const std::vector<std::string>& paths) {
  const inputs::Samples read = inputs::readSamples(paths);
  for (const std::string& error : read.errors) fmt::print(stderr, "kernels: {}\n", error);
  opbench::SelectionSettings options;
  options.sampleMode = opbench::SampleMode::First;
  options.maxSamples = 0;
  return opbench::select(read.samples, options).samples;
}

/// The largest first, so that no process has one left to do when the others are done.
std::vector<Group> groupsOf(const std::vector<inputs::Sample>& samples) {
  std::vector<Group> groups;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i == 0 || samples[i].op != samples[i - 1].op) groups.push_back({i, 0});
    ++groups.back().count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.count > b.count; });
  return groups;
}

/// Where a process is, in memory that outlives it.
struct Place {
  size_t group = 0, job = 0;
  bool isTaken = false;  ///< whether the group is not done
};

/// Processes that take one operator at a time and append what they find to the files of a folder. A job that ends its process is
/// noted; another process goes on after it.
class Writers {
 public:
  Writers(const std::vector<inputs::Sample>& samples, fs::path folder)
      : samples_(samples), groups_(groupsOf(samples)), folder_(std::move(folder)), count_(runtime::allowedProcessors().size()) {
    const size_t bytes = sizeof(std::atomic<size_t>) + count_ * sizeof(Place);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ir::require(memory != MAP_FAILED, "no memory to share: {}", std::strerror(errno));
    next_ = new (memory) std::atomic<size_t>(0);
    places_ = new (next_ + 1) Place[count_];
  }

  void run() {
    for (size_t i = 0; i < count_; ++i) start(i);
    while (!running_.empty()) {
      int status = 0;
      const auto ended = running_.find(::waitpid(-1, &status, 0));
      ir::require(ended != running_.end(), "a process is gone that was waited for");
      const size_t number = ended->second;
      running_.erase(ended);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      Place& place = places_[number];
      if (!WIFSIGNALED(status) || !place.isTaken)
        ir::fail(ir::ErrorKind::Internal, "a process has ended early, status {}", status);
      write(crashed(jobOf(place), fmt::format("signal {}", WTERMSIG(status))), jobOf(place));
      ++place.job;
      start(number);
    }
  }

 private:
  void start(size_t number) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ir::require(child >= 0, "no process can be started: {}", std::strerror(errno));
    if (child > 0) {
      running_[child] = number;
      return;
    }
    int status = 0;
    try {
      runtime::setThreads(1);
      work(places_[number]);
    } catch (const std::exception& error) {
      fmt::print(stderr, "kernels: {}\n", error.what());
      status = 1;
    }
    ::_exit(status);
  }

  void work(Place& place) {
    while (take(place)) {
      for (; place.job < groups_[place.group].count * jobsPerSample(); ++place.job) {
        ::alarm(mostSeconds);
        write(textsOf(jobOf(place)), jobOf(place));
      }
      place.isTaken = false;
    }
  }

  bool take(Place& place) {
    if (place.isTaken) return true;
    place = {(*next_)++, 0, false};
    place.isTaken = place.group < groups_.size();
    return place.isTaken;
  }

  static size_t jobsPerSample() { return targets().size() * dtypes().size(); }
  Job jobOf(const Place& place) const {
    const size_t within = place.job % jobsPerSample();
    return {&samples_[groups_[place.group].first + place.job / jobsPerSample()], dtypes()[within / targets().size()],
            &targets()[within % targets().size()]};
  }

  void write(const Texts& texts, const Job& job) const {
    std::string lines;
    for (const auto& [key, entry] : texts.hashes) lines += toLine(key, entry);
    append(folder_ / job.target->name / (job.sample->op + ".txt"), texts.text);
    append(folder_ / "unsorted.txt", lines);
  }
  static void append(const fs::path& path, std::string_view text) {
    const inputs::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    const int error = file.isOpen() ? inputs::writeAll(file, text) : errno;
    if (error != 0) ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", path.string(), std::strerror(error));
  }

  const std::vector<inputs::Sample>& samples_;
  const std::vector<Group> groups_;
  const fs::path folder_;
  const size_t count_;
  std::atomic<size_t>* next_ = nullptr;
  Place* places_ = nullptr;
  std::map<pid_t, size_t> running_;
};

void printCounts(const Hashes& hashes) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& [key, entry] : hashes) ++counts[key.target][entry.kind];
  for (const auto& [target, kinds] : counts) {
    fmt::print("{}:", target);
    for (const auto& [kind, count] : kinds) fmt::print(" {} {}", count, kind);
    fmt::print("\n");
  }
}

int write(const fs::path& folder, const std::vector<std::string>& paths) {
  if (fs::exists(folder) && !fs::is_empty(folder))
    ir::fail(ir::ErrorKind::Input, "{} is not empty: remove it, or name another folder", folder.string());
  const std::vector<inputs::Sample> samples = samplesIn(paths);
  fmt::print("{} samples\n", samples.size());
  for (const NamedTarget& target : targets()) fs::create_directories(folder / target.name);
  Writers(samples, folder).run();
  Hashes hashes = parseHashes(inputs::readFile(folder / "unsorted.txt"));
  fs::remove(folder / "unsorted.txt");
  hashes.merge(prelude().hashes);
  inputs::writeFile(folder / "prelude.cuh", prelude().text);
  std::string lines;
  for (const auto& [key, entry] : hashes) lines += toLine(key, entry);
  inputs::writeFile(folder / hashesName, lines);
  printCounts(hashes);
  return 0;
}

int compare(const fs::path& a, const fs::path& b) {
  const auto read = [](const fs::path& folder) { return parseHashes(inputs::readFile(folder / hashesName)); };
  const Comparison found = compare(read(a), read(b));
  fmt::print("{}", found.text);
  return found.isSameButForNames() ? 0 : 1;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == "--compare") return compare(arguments[1], arguments[2]);
  if (arguments.size() >= 2 && !arguments[0].starts_with("-"))
    return write(arguments[0], {arguments.begin() + 1, arguments.end()});
  fmt::print(stderr, "kernels: usage: kernels OUT FOLDER... | kernels --compare A B\n");
  return 2;
}

}  // namespace
}  // namespace kernels

int main(int argc, char** argv) {
  try {
    return kernels::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernels: {}\n", error.what());
    return 2;
  }
}
