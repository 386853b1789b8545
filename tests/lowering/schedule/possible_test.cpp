// A schedule is a value: it has a text, it can be edited, and whatever `check` lets pass does what the loops do.
#include "tests/lowering/schedule/possible.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "ir/error.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/check.h"
#include "lowering/layout/edit.h"

using namespace lowering;

namespace {

/// A schedule that differs in one random edit, which may make no sense.
LayoutSchedule edited(const LayoutSchedule& schedule, const LoopNest& nest, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t parts = schedule.layout.parts.size(), part = below(parts);
  LayoutSchedule other = schedule;
  switch (parts == 0 ? 5 + below(7) : below(12)) {
    case 0: return split(schedule, part, int64_t{1} << (1 + below(4)));
    case 1: return bind(schedule, part, static_cast<Bind>(below(5)));
    case 2: return unroll(schedule, part);
    case 3: return reorder(schedule, part, below(parts));
    case 4: {
      const std::vector<LayoutSchedule> all = neighbours(schedule);
      return all[below(all.size())];
    }
    case 5: return hold(schedule, static_cast<Hold>(below(3)));
    case 6: other.readsAhead = !other.readsAhead; return other;
    case 7: other.keepsFunctions = !other.keepsFunctions; return other;
    case 8: other.hasCover = !other.hasCover; break;
    case 9: other.isAtomic = !other.isAtomic; return other;
    case 10: other.layout.dims[other.layout.laneDim].lanes = 1 << below(4); break;
    default: other.layout = simplified(other.layout); return other;
  }
  // How many vectors there are follows from the text.
  try {
    return std::get<LayoutSchedule>(parseSchedule(toText(other), nest));
  } catch (const ir::Error&) {
    return schedule;
  }
}

/// What random edits start from: the layouts that rules and tuning choose, and tiles and persistent kernels where these are worth
/// it for large tensors.
std::vector<LayoutSchedule> startsOf(const LoopNest& nest) {
  std::vector<LayoutSchedule> starts;
  for (const Schedule& schedule : candidates(nest, tests::hopper(), chooseSchedule(nest, tests::hopper())))
    if (const auto* layout = std::get_if<LayoutSchedule>(&schedule)) starts.push_back(*layout);
  const char* tiles = "a*4 b: grid b 2 each 16, grid a 2 each 8, unroll b 4, thread b 4, thread a 8; staged crossing";
  if (nest.transposition && nest.transposition->domain.dims().size() == 2)
    starts.push_back(std::get<LayoutSchedule>(parseSchedule(tiles, nest)));
  const auto persistent = nest.mixedOrder ? choosePersistentSchedule(*nest.mixedOrder, tests::hopper()) : std::nullopt;
  if (persistent) starts.push_back(inDims(*persistent, nest.domain));
  return starts;
}

/// The message of an attempt, empty where there is none.
template <typename Attempt>
std::string messageOf(Attempt attempt) {
  try {
    attempt();
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a text says all of a schedule") {
  for (const std::string& lines : tests::smallNests()) {
    const tests::ScheduledNest one(lines);
    for (const Schedule& schedule : candidates(one.nest, tests::hopper(), chooseSchedule(one.nest, tests::hopper()))) {
      CAPTURE(toText(schedule));
      CHECK(parseSchedule(toText(schedule), one.nest) == schedule);
      CHECK(messageOf([&] { check(schedule, one.nest, tests::hopper()); }) == "");
    }
  }
}

TEST_CASE("a schedule may be typed in") {
  const tests::ScheduledNest softmax(tests::smallNests()[1]);
  for (const char* text :
       {"a b*8: grid a 5, serial b 6", "a b*8: grid a 2, thread a 4 every 8, thread b 8; hold registers, ahead",
        "a b*1: grid a 2, thread a 4 every 16, serial b 3, thread b 16",
        "a b*4: grid a 5, serial b 2, unroll b 3, cluster b 2, thread b 32"}) {
    CAPTURE(text);
    const Schedule schedule = parseSchedule(text, softmax.nest);
    CHECK(toText(schedule) == text);
    CHECK(messageOf([&] { check(schedule, softmax.nest, tests::hopper()); }) == "");
    CHECK(softmax.faultOf(schedule) == "");
  }
}

TEST_CASE("what is no schedule is refused, and why") {
  const tests::ScheduledNest softmax(tests::smallNests()[1]);
  const auto refusal = [&](const std::string& text) {
    return messageOf([&] { check(parseSchedule(text, softmax.nest), softmax.nest, tests::hopper()); });
  };
  CHECK_NOTHROW(checkSyntax("a b c d*8: grid a 5"));  // of another nest
  CHECK(messageOf([] { checkSyntax("xx"); }) == "schedule: dim 'a' or ':' is expected at character 1, in place of 'xx'");
  CHECK(refusal("") == "schedule: dim 'a' or ':' is expected at character 1, in place of the end");
  CHECK(refusal("a b*8 grid a 5") == "schedule: dim 'c' or ':' is expected at character 7, in place of 'grid'");
  CHECK(refusal("a b: grid a 5") == "schedule: no dim has lanes: one of them has '*' and their number");
  CHECK(refusal("a*8: grid a 5") == "schedule: its dims are 1, and the loops have 2");
  CHECK(refusal("a b*8: grid c 5") == "schedule: a dim is expected at character 15, in place of '5'");
  CHECK(refusal("a b*8: grid a 5; hold everything") ==
        "schedule: one of nowhere, registers, shared is expected at character 23, in place of 'everything'");
  CHECK(refusal("a b*8: grid a 5; ahead, ahead") == "schedule: 'ahead' is there twice");
  CHECK(refusal("a b*8: grid a 4, serial b 6") == "schedule: the parts of dim 'a' count to 4 of 5");
  CHECK(refusal("a b*32: grid a 5, serial b 2") == "schedule: vectors have 1, 2, 4, 8 or 16 lanes");
  CHECK(refusal("a b*8: grid a 5, thread b 2048") == "schedule: CTAs have up to 1024 threads, not 2048");
  CHECK(refusal("a b*8: grid a 5, cluster b 32") == "schedule: clusters have up to 16 CTAs");
  CHECK(refusal("a b*8: grid a 5, thread b 6") == "schedule: a part of a warp, or whole warps, share a row, not 6 threads");
  CHECK(refusal("a b*8: grid a 5, grid b 6") == "schedule: the grid splits what is read once");
  CHECK(refusal("a b*8: serial a 5, thread b 8") == "schedule: a thread has one row, or those of one vector");
  CHECK(refusal("a b*8: grid a 5, serial b 6; hold registers") == "schedule: what is held in registers is unrolled");
  CHECK(refusal("a b*8: grid a 1099511627776, thread b 1099511627776") == "schedule: its parts count too far");
  CHECK(refusal("a b*8: grid a 9999999999999999999") ==
        "schedule: a number up to 1099511627776 is expected at character 15, in place of '9999999999999999999'");
  CHECK(refusal("a b*8: grid a 5, thread b 8 every 2000000000") == "schedule: threads are up to 1024 apart");
  CHECK(refusal("tasks") == "schedule: tasks are for CPUs");
}

TEST_CASE("scans of rows and of columns may be typed in") {
  const tests::ScheduledNest rows(tests::smallNests()[8]), columns(tests::smallNests()[15]), row(tests::smallNests()[16]);
  const auto check = [](const tests::ScheduledNest& one, const std::string& text) {
    CAPTURE(text);
    const Schedule schedule = parseSchedule(text, one.nest);
    CHECK(toText(schedule) == text);
    CHECK(messageOf([&] { lowering::check(schedule, one.nest, tests::hopper()); }) == "");
    CHECK(one.faultOf(schedule) == "");
  };
  check(rows, "a b*2: grid a 6, thread b 32");
  check(rows, "a b*2: serial b 25, thread a 32");
  check(rows, "a b*2: grid a 2, serial b 2, unroll b 2, thread a 4, thread b 8");
  check(rows, "a b*1: grid a 6, unroll b 2, cluster b 2, thread b 32");
  check(columns, "a(2)*1 b: serial b 7, thread a 32, unroll b 8");
  check(columns, "a(2)*4 b: grid a 2, cluster b 2, thread b 8, thread a 4, unroll b 4");
  check(row, "a b*4: grid b 4, serial b 2, unroll b 3, thread b 32; resident 1");
}

TEST_CASE("persistent kernels of rows and of columns may be typed in; what they cannot have is refused") {
  const tests::ScheduledNest rows(tests::smallNests()[1]), columns(tests::smallNests()[17]);
  const auto refusal = [](const tests::ScheduledNest& one, const std::string& text) {
    const Schedule schedule = parseSchedule(text + ", resident 1", one.nest);
    const std::string reason = messageOf([&] { check(schedule, one.nest, tests::hopper()); });
    return reason.empty() ? one.faultOf(schedule) : reason;
  };
  CHECK(refusal(rows, "a b*8: serial a 2, grid a 3, thread b 32; persistent") == "");
  CHECK(refusal(rows, "a b*8: grid a 2, thread a 4, unroll b 2, thread b 16; persistent") == "");
  CHECK(refusal(columns, "a*4 b: serial b 3, unroll b 2, grid b 3, thread b 4, thread a 8; persistent") == "");
  CHECK(refusal(columns, "a*4 b: serial b 9, grid b 2, thread b 4, thread a 8; atomic, persistent") == "");
  CHECK(refusal(columns, "a*4 b: serial b 9, grid b 2, thread b 4, thread a 8; atomic") ==
        "schedule: nothing is accumulated that could be atomic");
  CHECK(refusal(columns, "a*4 b: grid b 140, thread b 4, thread a 8; persistent") ==
        "schedule: the CTAs of a persistent kernel are all resident");
  CHECK(refusal(columns, "a*4 b: serial b 9, grid b 2, thread b 4, thread a 8; persistent, hold registers") ==
        "schedule: of a persistent kernel there is nothing to say but 'atomic', 'persistent' and 'resident 1'");
  CHECK(refusal(columns, "a*2 b: serial b 9, grid b 2, thread b 4, thread a 16; persistent") ==
        "schedule: a matrix has two dims, and vectors of 4 columns");
  CHECK(refusal(columns, "a*4 b: serial b 18, grid b 2, thread b 2 every 16, thread a 8; persistent") ==
        "schedule: persistent kernels have no blocks");
  CHECK(refusal(columns, "a*4 b: serial b 9, grid b 2, thread b 4, serial a 2, thread a 8; persistent") ==
        "schedule: a group has all of a row at once");
  CHECK(refusal(columns, "a*4 b: grid b 2, serial b 9, thread b 4, thread a 8; persistent") ==
        "schedule: rows are cut for a loop, unrolled loops, the grid and groups in turn, and columns for unrolled loops and "
        "threads");
  CHECK(refusal(columns, "a*4 b: serial b 3, serial b 3, grid b 2, thread b 4, thread a 8; persistent") ==
        "schedule: rows are taken in one loop");
  CHECK(refusal(columns, "a*4 b: serial b 18, grid b 2, thread b 2, thread a 8; persistent") ==
        "schedule: a CTA has whole warps, all of them busy");
  CHECK(refusal(rows, "a b*8: unroll a 5, thread b 32; persistent") == "schedule: rows that are reduced come one by one");
  CHECK(refusal(rows, "a b*8: serial a 5, thread b 32; atomic, persistent") ==
        "schedule: only f32 sums can be added to by all CTAs");
  const tests::ScheduledNest batch(tests::smallNests()[5]);
  CHECK(refusal(batch, "a b c*1: grid a 4, serial b 3, thread c 32; persistent") == "schedule: the loops reduce no matrix");
}

TEST_CASE("what no scan can have is refused, and why") {
  const tests::ScheduledNest rows(tests::smallNests()[8]), columns(tests::smallNests()[15]), row(tests::smallNests()[16]);
  const auto refusal = [](const tests::ScheduledNest& one, const std::string& text) {
    return messageOf([&] { check(parseSchedule(text, one.nest), one.nest, tests::hopper()); });
  };
  CHECK(refusal(rows, "a b*2: grid a 5, thread b 32") == "schedule: the parts of dim 'a' count to 5 of 6");
  CHECK(refusal(rows, "a*2 b: thread a 32, serial b 50") == "schedule: memory runs along the elements");
  CHECK(refusal(columns, "a(2) b*2: grid a 24, thread b 32") == "schedule: memory runs along the columns");
  CHECK(refusal(rows, "a b*8: grid a 6, thread b 32") == "schedule: its tensors have no vectors of 8 elements");
  CHECK(refusal(rows, "a b*2: grid a 6, thread b 32; hold registers") ==
        "schedule: of a scan there is nothing to say but 'resident'");
  CHECK(refusal(rows, "a b*2: grid a 6 each 1, thread b 32") == "schedule: scans have no blocks");
  CHECK(refusal(rows, "a b*2: serial a 6, thread b 32") == "schedule: a thread has one row, or those of one vector");
  CHECK(refusal(rows, "a b*2: grid a 2, unroll b 4, thread a 3, thread b 8") ==
        "schedule: a CTA has whole warps, all of them busy");
  CHECK(refusal(rows, "a b*2: grid a 6, unroll b 512, thread b 32") ==
        "schedule: a thread takes up to 512 elements at once, not 1024");
  CHECK(refusal(rows, "a b*2: grid a 2, unroll b 2, thread a 8, thread b 20") ==
        "schedule: a group is a part of a warp or whole warps");
  CHECK(refusal(rows, "a b*2: grid a 6, unroll b 2, serial b 2, thread b 32") ==
        "schedule: a row is cut for the grid, loops, unrolled loops, the cluster and threads in turn");
  CHECK(refusal(rows, "a b*2: grid a 3, cluster b 2, thread a 2, thread b 16") ==
        "schedule: rows that CTAs share take all threads of each");
  CHECK(refusal(columns, "a(2)*4 b: grid a 2, unroll b 4, cluster b 2, thread b 8, thread a 4") ==
        "schedule: a column is cut for loops, the cluster, threads and unrolled loops in turn");
  CHECK(refusal(columns, "a(2)*4 b: grid a 2, grid b 2, thread b 8, thread a 4, unroll b 4") ==
        "schedule: columns are not split over the grid");
  CHECK(refusal(columns, "a(2)*4 b: thread a 32, cluster b 2, unroll b 25") ==
        "schedule: a column of one thread needs no cluster");
  CHECK(refusal(row, "a b*4: grid b 256, thread b 32; resident 1") == "schedule: its CTAs do not run at once");
  CHECK(refusal(row, "a b*4: grid b 2, cluster b 2, thread b 256; resident 4") ==
        "schedule: a row is split by a cluster or by the grid");
}

TEST_CASE("edits make of nothing what the rules choose") {
  const tests::ScheduledNest softmax(tests::smallNests()[1]);
  LayoutSchedule schedule = unscheduled(softmax.nest.domain, {1, 2}, 1, 8);
  CHECK(toText(schedule) == "a b*8: serial a 5, serial b 6");
  schedule = bind(split(schedule, 0, 4), 0, Bind::Grid);
  schedule = bind(schedule, 1, Bind::Thread);
  schedule.layout.parts[1].threads = 8;
  schedule = bind(split(schedule, 2, 8), 3, Bind::Thread);
  CHECK(toText(schedule) == "a b*8: grid a 2, thread a 4 every 8, serial b 1, thread b 8");
  schedule = hold(unroll(schedule, 2), Hold::Registers);
  schedule.layout = simplified(schedule.layout);
  CHECK(toText(schedule) == "a b*8: grid a 2, thread a 4 every 8, thread b 8; hold registers");
  CHECK(softmax.faultOf(schedule) == "");
}

TEST_CASE("short rows: a thread a row") {
  const tests::ScheduledNest sum(
      "  in self f32[1000, 8]\n  out0 f32[1000] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)\n"
      "  return out0\n");
  const IterationDomain& domain = sum.nest.domain;
  const std::size_t kept = domain.elementDims(), all = domain.dims().size();
  LayoutSchedule schedule = unscheduled(domain, {kept, all}, 1, 1);
  CHECK(toText(schedule) == "a b*1: serial a 1000, serial b 8");
  schedule = bind(split(schedule, 0, 128), 0, Bind::Grid);
  CHECK(toText(schedule) == "a b*1: grid a 8, serial a 128, serial b 8");
  schedule = bind(schedule, 1, Bind::Thread);
  CHECK(toText(schedule) == "a b*1: grid a 8, thread a 128, serial b 8");
  schedule = hold(unroll(schedule, 2), Hold::Registers);
  CHECK(toText(schedule) == "a b*1: grid a 8, thread a 128, unroll b 8; hold registers");
  CHECK(isPossible(schedule, sum.nest, tests::hopper()));
  CHECK(sum.faultOf(schedule) == "");
}

TEST_CASE("whatever passes the check does what the loops do") {
  std::mt19937 random(7);
  std::string texts;
  for (const std::string& lines : tests::smallNests()) {
    const tests::ScheduledNest one(lines);
    const std::vector<LayoutSchedule> starts = startsOf(one.nest);
    if (starts.empty()) continue;
    std::set<std::string> seen;
    LayoutSchedule schedule;
    for (int step = 0; step < 4000 && seen.size() < 80; ++step) {
      const LayoutSchedule next = step % 25 == 0 ? starts[random() % starts.size()] : edited(schedule, one.nest, random);
      if (next.layout.parts.size() > 12) continue;
      CAPTURE(toText(next));
      CHECK(parseSchedule(toText(next), one.nest) == Schedule(next));
      schedule = next;
      if (!isPossible(next, one.nest, tests::hopper()) || !seen.insert(toText(next)).second) continue;
      CHECK(one.faultOf(next) == "");
      texts += toText(next) + "\n";
    }
    CHECK(seen.size() > 10);
  }
  for (const std::string word :
       {"grid", "cluster", "thread", "serial", "unroll", "every", "each", "threads", "ahead", "functions", "cover",
        "hold registers", "hold shared", "staged all", "staged crossing", "persistent", "atomic"}) {
    CAPTURE(word);
    CHECK(texts.find(word) != std::string::npos);
  }
}

TEST_CASE("on CPUs as well") {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
  int squares = 0;
  for (const std::string& lines : tests::smallNests()) {
    const tests::ScheduledNest one(lines, tests::avx512());
    const Schedule rules = chooseSchedule(one.nest, one.target);
    std::set<std::string> seen;
    for (int step = 0; step < 20000 && seen.size() < 60; ++step) {
      TaskSchedule schedule = std::get<TaskSchedule>(rules);
      for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) switch (random() % 15) {
          case 0: schedule.lanes = pick({1, 2, 4, 8, 16, 32}); break;
          case 1: schedule.isFlat = !schedule.isFlat; break;
          case 2: schedule.rows = pick({1, 2, 3, 8, 16, 32}); break;
          case 3: schedule.tile = pick({0, 1, 2, 3, 5, 8}); break;
          case 4: schedule.splits = pick({1, 2, 3, 4, 7}); break;
          case 5: schedule.takesAll = !schedule.takesAll; break;
          case 6: schedule.unroll = pick({1, 2, 3, 4, 8, 64}); break;
          case 7: schedule.atOnce = pick({1, 2, 3, 8, 64}); break;
          case 8: schedule.block = pick({0, 1, 3, 16, 512}); break;
          case 9: schedule.heldBytes = pick({0, 8, 64, 4096}); break;
          case 10: schedule.hasHead = !schedule.hasHead; break;
          case 11: schedule.storesAcross = !schedule.storesAcross; break;
          case 12: schedule.streams = !schedule.streams; break;
          case 13: schedule.isTransposed = !schedule.isTransposed; break;
          default: schedule.grain = pick({1, 2, 5, 100}); break;
        }
      CAPTURE(lines);
      CAPTURE(toText(schedule));
      CHECK(parseSchedule(toText(schedule), one.nest) == Schedule(schedule));
      if (!isPossible(schedule, one.nest, one.target) || !seen.insert(toText(schedule)).second) continue;
      CHECK(one.faultOf(schedule) == "");
      if (schedule.isTransposed) ++squares;
    }
    CHECK(seen.size() > 10);
  }
  CHECK(squares > 50);
}
