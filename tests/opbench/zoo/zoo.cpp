// Operators that try to look faster than they are, or right where they are not; and an honest one. Each is a softmax of rows, but
// for `lazy_negation`. They are loaded with --load, and race as a user's own would.
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/CPUAllocator.h>
#include <emmintrin.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <torch/library.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "tests/opbench/zoo/tricks.h"

namespace {

using at::Tensor;

Tensor softmax(const Tensor& self) {
  const Tensor rows = self.contiguous();
  Tensor out = at::empty_like(rows);
  if (rows.numel() > 0) zoo::computeRows(rows.const_data_ptr<float>(), out.data_ptr<float>(), 0, rows.size(0), rows.size(1));
  return out;
}

/// What tells contents apart, from a few of their elements.
uint64_t contentOf(const Tensor& self) {
  uint64_t hash = static_cast<uint64_t>(self.numel());
  const auto* bits = reinterpret_cast<const uint32_t*>(self.const_data_ptr<float>());
  for (int64_t i = 0; i < self.numel(); i += std::max<int64_t>(1, self.numel() / 64)) hash = hash * 1099511628211ULL + bits[i];
  return hash;
}

Tensor honest(const Tensor& self, int64_t, bool) { return softmax(self); }

Tensor other_thread(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  std::thread([self, out] {
    zoo::computeRows(self.const_data_ptr<float>(), out.mutable_data_ptr<float>(), 0, self.size(0), self.size(1));
  }).detach();
  return out;
}

Tensor other_process(const Tensor& self, int64_t, bool) {
  const auto bytes = static_cast<size_t>(self.nbytes());
  void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t pid = fork();
  if (pid == 0) {
    zoo::computeRows(self.const_data_ptr<float>(), static_cast<float*>(shared), 0, self.size(0), self.size(1));
    _exit(0);
  }
  return at::from_blob(shared, self.sizes(), [bytes, pid](void* memory) {
    waitpid(pid, nullptr, 0);
    munmap(memory, bytes);
  });
}

Tensor kept_by_address(const Tensor& self, int64_t, bool) {
  static std::map<const void*, Tensor> kept;
  const auto [at, isNew] = kept.try_emplace(self.const_data_ptr());
  if (isNew) at->second = softmax(self);
  return at->second.clone();
}

Tensor kept_by_content(const Tensor& self, int64_t, bool) {
  static std::map<uint64_t, Tensor> kept;
  const auto [at, isNew] = kept.try_emplace(contentOf(self));
  if (isNew) at->second = softmax(self);
  return at->second.clone();
}

/// Hands out one buffer, written once for each content.
Tensor stale(const Tensor& self, int64_t, bool) {
  static std::map<uint64_t, Tensor> kept;
  const auto [at, isNew] = kept.try_emplace(contentOf(self));
  if (isNew) at->second = softmax(self);
  return at->second;
}

/// Computes at first, and later hands out memory as it finds it, in which its last result may still be.
Tensor left_in_place(const Tensor& self, int64_t, bool) {
  static std::set<uint64_t> met;
  return met.insert(contentOf(self)).second ? softmax(self) : at::empty_like(self);
}

/// Memory that comes back once nobody holds what lies in it, the latest first: as a caching allocator has it, and malloc only
/// where nothing else was allocated in between.
Tensor returningMemory(const Tensor& like) {
  static auto& free = *new std::map<int64_t, std::vector<void*>>;  // by size; what is held may outlive it
  const int64_t bytes = static_cast<int64_t>(like.nbytes());
  std::vector<void*>& blocks = free[bytes];
  if (blocks.empty()) blocks.push_back(::operator new(like.nbytes()));
  void* block = blocks.back();
  blocks.pop_back();
  return at::from_blob(block, like.sizes(), [&blocks](void* memory) { blocks.push_back(memory); });
}

/// Computes unless its result still lies where it is to lie, and is no poison.
Tensor only_if_poisoned(const Tensor& self, int64_t, bool) {
  static const void* latest = nullptr;
  Tensor out = returningMemory(self);
  const bool isThere = out.const_data_ptr() == latest && !std::isnan(out.const_data_ptr<float>()[out.numel() / 2]);
  latest = out.const_data_ptr();
  if (!isThere) zoo::computeRows(self.const_data_ptr<float>(), out.data_ptr<float>(), 0, self.size(0), self.size(1));
  return out;
}

/// Computes in its first runs, which somebody may look at, and hands out the last of these results ever after.
Tensor tired(const Tensor& self, int64_t, bool) {
  static int runs = 0;
  static Tensor kept;
  if (++runs <= 20) kept = softmax(self);
  return kept;
}

Tensor half(const Tensor& self, int64_t dim, bool) { return at::_softmax(self.to(at::kHalf), dim, false).to(at::kFloat); }

Tensor without_last_rows(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  zoo::computeRows(self.const_data_ptr<float>(), out.data_ptr<float>(), 0, self.size(0) - 2, self.size(1));
  return out;
}

Tensor nothing(const Tensor& self, int64_t, bool) { return at::empty_like(self); }
Tensor input(const Tensor& self, int64_t, bool) { return self; }
Tensor copy_of_input(const Tensor& self, int64_t, bool) { return self.clone(); }

/// Right for the data of a check that anyone can foresee: the first dozen contents that it meets.
Tensor foreseen(const Tensor& self, int64_t, bool) {
  static std::map<uint64_t, size_t> met;
  const size_t number = met.try_emplace(contentOf(self), met.size()).first->second;
  Tensor out = softmax(self);
  if (number >= 12) out.zero_();
  return out;
}

int64_t secondsOf(const timespec& time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

/// The time as it passes at a quarter of its speed.
int slowClock(clockid_t clock, timespec* time) {
  static int64_t first[16] = {};
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock < 0 || clock >= 16) return result;
  if (first[clock] == 0) first[clock] = secondsOf(*time);
  const int64_t now = first[clock] + (secondsOf(*time) - first[clock]) / 4;
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return result;
}

Tensor slow_clock(const Tensor& self, int64_t, bool) {
  static const bool isReplaced = (zoo::replace("clock_gettime", reinterpret_cast<void*>(&slowClock)), true);
  (void)isReplaced;
  return softmax(self);
}

pid_t noParent() { return 0; }

Tensor changes_code(const Tensor& self, int64_t, bool) {
  static const bool isReplaced = (zoo::replace("getppid", reinterpret_cast<void*>(&noParent)), true);
  (void)isReplaced;
  return softmax(self);
}

Tensor slow_softmax(const Tensor& self, int64_t, bool) {
  for (int i = 0; i < 3; ++i) softmax(self);
  return softmax(self);
}

/// Gives ATen's own operator another kernel, which eager calls.
Tensor slows_eager(const Tensor& self, int64_t, bool) {
  static torch::Library aten(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
  static const bool isReplaced = (aten.impl("_softmax", &slow_softmax), true);
  (void)isReplaced;
  return softmax(self);
}

/// An allocator that takes its time, from which eager has its results as well.
struct SlowAllocator : c10::Allocator {
  explicit SlowAllocator(c10::Allocator* before) : before_(before) {}
  c10::DataPtr allocate(size_t bytes) override {
    usleep(50);
    return before_->allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return before_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { before_->copy_data(to, from, bytes); }
  c10::Allocator* before_;
};

Tensor slows_memory(const Tensor& self, int64_t, bool) {
  static SlowAllocator slow(c10::GetCPUAllocator());
  c10::SetCPUAllocator(&slow, 255);
  return softmax(self);
}

Tensor interrupts(const Tensor& self, int64_t, bool) {
  signal(SIGPROF, [](int) {
    for (volatile int i = 0; i < 1000; ++i) continue;
  });
  const itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_PROF, &often, nullptr);
  return softmax(self);
}

Tensor flushes_small_numbers(const Tensor& self, int64_t, bool) {
  _mm_setcsr(_mm_getcsr() | 0x8040);
  return softmax(self);
}

Tensor writes_input(const Tensor& self, int64_t, bool) {
  Tensor out = softmax(self);
  self.mutable_data_ptr<float>()[0] = 0;
  return out;
}

/// Halves the largest element of every 61st result.
Tensor rare(const Tensor& self, int64_t, bool) {
  static int runs = 0;
  Tensor out = softmax(self);
  float* first = out.mutable_data_ptr<float>();
  if (++runs % 61 == 0) *std::max_element(first, first + out.numel()) /= 2;
  return out;
}

/// Computes on the first thread that ever calls it.
Tensor on_first_thread(const Tensor& self, int64_t, bool) {
  static const std::thread::id first = std::this_thread::get_id();
  return std::this_thread::get_id() == first ? softmax(self) : at::zeros_like(self);
}

/// Leaves a process behind, which lives as long as this one.
Tensor leaves_process(const Tensor& self, int64_t, bool) {
  static const pid_t child = [] {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) pause();
  }();
  return child == 0 ? self : softmax(self);
}

/// Two threads of its own compute halves of the rows, if each may use as many processors as the test that asks has said.
Tensor own_threads(const Tensor& given, int64_t, bool) {
  const Tensor self = given.contiguous();
  Tensor out = at::empty_like(self);
  std::atomic<int> processors = 0;
  const auto compute = [&](int64_t begin, int64_t end) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    processors = CPU_COUNT(&mask);
    zoo::computeRows(self.const_data_ptr<float>(), out.mutable_data_ptr<float>(), begin, end, self.size(1));
  };
  std::thread other([&] { compute(0, self.size(0) / 2); });
  compute(self.size(0) / 2, self.size(0));
  other.join();
  const char* expected = std::getenv("ZOO_PROCESSORS");
  TORCH_CHECK(expected == nullptr || processors == std::atoi(expected), "its threads may use ", processors.load(), " processors");
  return out;
}

Tensor lazy_negation(const Tensor& self) { return at::_neg_view(self); }

/// Rectifiers that are right on a sample of few elements, rows of eights and no gaps, and not on others.
Tensor rectified(const Tensor& self) { return at::relu(self); }

Tensor wrong_if_large(const Tensor& self) {
  Tensor out = at::relu(self);
  if (out.numel() > 1 << 18) out.reshape({-1})[-1].add_(1);
  return out;
}

Tensor without_last_column(const Tensor& self) {
  Tensor out = at::relu(self);
  if (out.dim() > 0 && out.size(-1) % 8 != 0) out.select(-1, out.size(-1) - 1).add_(1);
  return out;
}

/// Reads as many elements from `in` on as there are, whatever the strides.
Tensor rectifiedFlat(const float* in, const Tensor& self) {
  Tensor out = at::empty(self.sizes(), self.options());
  float* to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < self.numel(); ++i) to[i] = std::max(in[i], 0.0F);
  return out;
}

Tensor ignores_strides(const Tensor& self) { return rectifiedFlat(self.const_data_ptr<float>(), self); }

Tensor ignores_offset(const Tensor& self) {
  const Tensor dense = self.contiguous();
  return rectifiedFlat(static_cast<const float*>(dense.storage().data()), dense);
}

}  // namespace

TORCH_LIBRARY(zoo, library) {
  const auto add = [&](const char* name, Tensor (*function)(const Tensor&, int64_t, bool)) {
    library.def((std::string(name) + "(Tensor self, int dim, bool half_to_float) -> Tensor").c_str(), function);
  };
  add("honest", &honest);
  add("other_thread", &other_thread);
  add("other_process", &other_process);
  add("kept_by_address", &kept_by_address);
  add("kept_by_content", &kept_by_content);
  add("stale", &stale);
  add("left_in_place", &left_in_place);
  add("only_if_poisoned", &only_if_poisoned);
  add("tired", &tired);
  add("half", &half);
  add("without_last_rows", &without_last_rows);
  add("nothing", &nothing);
  add("input", &input);
  add("copy_of_input", &copy_of_input);
  add("foreseen", &foreseen);
  add("slow_clock", &slow_clock);
  add("changes_code", &changes_code);
  add("slows_eager", &slows_eager);
  add("slows_memory", &slows_memory);
  add("interrupts", &interrupts);
  add("flushes_small_numbers", &flushes_small_numbers);
  add("writes_input", &writes_input);
  const auto addUnary = [&](const char* name, Tensor (*function)(const Tensor&)) {
    library.def((std::string(name) + "(Tensor self) -> Tensor").c_str(), function);
  };
  addUnary("lazy_negation", &lazy_negation);
  addUnary("rectified", &rectified);
  addUnary("wrong_if_large", &wrong_if_large);
  addUnary("without_last_column", &without_last_column);
  addUnary("ignores_strides", &ignores_strides);
  addUnary("ignores_offset", &ignores_offset);
  add("rare", &rare);
  add("on_first_thread", &on_first_thread);
  add("leaves_process", &leaves_process);
  add("own_threads", &own_threads);
  library.def("takes_a_list(Tensor[] tensors) -> Tensor", [](const std::vector<Tensor>& tensors) { return tensors.at(0); });
}
