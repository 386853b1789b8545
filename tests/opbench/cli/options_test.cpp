#include "opbench/cli/options.h"
#include "opbench/compare/options.h"
#include "opbench/settings/options.h"
#include "opbench/settings/profile_settings.h"

#include <doctest/doctest.h>

#include <sstream>

#include "ir/error.h"
#include "opbench/text/version.h"

using namespace opbench;

namespace {

Environment environment() {
  Environment e;
  e.program = "/opt/opbench/bin/opbench";
  e.home = "/home/ada";
  e.suites = "/data/suites";
  return e;
}

Options parse(const std::vector<std::string>& arguments) { return parseOptions(arguments, environment()); }

/// The message that refuses a command line.
std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const ir::Error& error) {
    CHECK(error.kind() == ir::ErrorKind::Input);
    return error.what();
  }
  return "accepted";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("with no option: every suite, every operator, the 15 most frequent samples, float32, two contenders") {
  const Options o = parse({});
  CHECK(o.verb == Verb::Race);
  CHECK(o.suites.empty());
  CHECK(o.inputs.empty());
  CHECK(o.suitesFolder == "/data/suites");
  CHECK(o.ops == Names{"all"});
  CHECK(o.filters.empty());
  CHECK(o.excludes.empty());
  CHECK(o.sampleMode == SampleMode::Top);
  CHECK(o.maxSamples == 15);
  CHECK(o.startIdx == 0);
  CHECK(o.maxBytes == 0);
  CHECK(o.dtype == ir::DType::F32);
  CHECK(o.device == "");
  CHECK((o.contenders == std::vector{Contender::Eager, Contender::Opbench}));
  CHECK(o.repeats == 0);
  CHECK_FALSE(o.precision);
  CHECK(o.maxSeconds == 0.5);
  CHECK(o.flush == runtime::Flush::Write);
  CHECK_FALSE(o.isAA);
  CHECK(o.accuracyChecking);
  CHECK(o.data == inputs::Distribution::Normal);
  CHECK_FALSE(o.fault);
  CHECK_FALSE(o.tune);
  CHECK_FALSE(o.channelsLast);
  CHECK(o.cache == runtime::CacheSettings{"/home/ada/.cache/opbench/kernels", "/home/ada/.local/state/opbench/cache.key"});
  CHECK(o.cache.mostBytes == int64_t{4} << 30);
}

TEST_CASE("every option reaches its field") {
  const Options o = parse({"--inp-file",     "a.txt",
                           "--inputs",       "dir",
                           "--op",           "add,mul.Tensor",
                           "--op",           "*_backward*",
                           "--dtype",        "bfloat16",
                           "--device",       "cuda:1",
                           "--max-samples",  "0",
                           "--start-idx",    "4",
                           "--max-bytes",    "1000000",
                           "--repeats",      "5",
                           "--precision",    "0.5",
                           "--max-time",     "2",
                           "--flush",        "read",
                           "--aa",           "--kernel-time",
                           "--counters",     "--no-accuracy-checking",
                           "--tune",         "--channels-last",
                           "--seed",         "7",
                           "--data",         "small-int",
                           "--tolerances",   "mine.yaml",
                           "--fault",        "off-by-one",
                           "--threads",      "2",
                           "--dump",         "d",
                           "--csv",          "t.csv",
                           "--json",         "-",
                           "--cache",        "k",
                           "--shared-cache", "--cache-size",
                           "1000000",        "--contenders",
                           "opbench,eager"});
  CHECK(o.inputs == Names{"a.txt", "dir"});
  CHECK(o.ops == Names{"add", "mul.Tensor", "*_backward*"});
  CHECK(o.dtype == ir::DType::BF16);
  CHECK(o.device == "cuda:1");
  CHECK(o.maxSamples == 0);
  CHECK(o.startIdx == 4);
  CHECK(o.maxBytes == 1000000);
  CHECK(o.repeats == 5);
  CHECK(o.precision == 0.005);
  CHECK(o.maxSeconds == 2);
  CHECK(o.flush == runtime::Flush::Read);
  CHECK(o.isAA);
  CHECK(o.kernelTime);
  CHECK(o.counters);
  CHECK_FALSE(o.accuracyChecking);
  CHECK(o.tune);
  CHECK(o.channelsLast);
  CHECK(o.seed == 7);
  CHECK(o.data == inputs::Distribution::SmallInt);
  CHECK(o.tolerances == "mine.yaml");
  CHECK(o.fault == Fault::OffByOne);
  CHECK(o.threads == 2);
  CHECK(o.dump == "d");
  CHECK(o.csv == "t.csv");
  CHECK(o.json == "-");
  CHECK(o.cache == runtime::CacheSettings{"k", "/home/ada/.local/state/opbench/cache.key", true, 1000000});
  CHECK((o.contenders == std::vector{Contender::Opbench, Contender::Eager}));
}

TEST_CASE("what of the operators is raced") {
  const Options o =
      parse({"--filter", "aten.add*,mul", "--filter", "sum", "--exclude", "*_backward*", "--sample-mode", "stratified"});
  CHECK(o.filters == Names{"aten.add*", "mul", "sum"});
  CHECK(o.excludes == Names{"*_backward*"});
  CHECK(o.sampleMode == SampleMode::Stratified);
  for (const auto mode : {SampleMode::First, SampleMode::Top, SampleMode::All})
    CHECK(parse({"--sample-mode", std::string(name(mode))}).sampleMode == mode);
  CHECK(refusal({"--sample-mode", "best"}) == "--sample-mode must be one of first, top, stratified, all, got 'best'");
  CHECK(refusal({"--filter", ","}) == "--filter is empty; give an operator, a packet, a glob or all");
  CHECK(refusal({"--exclude", ","}) == "--exclude is empty; give an operator, a packet, a glob or all");
}

TEST_CASE("how a sweep is raced: where, how long, what of it, and what is shown") {
  const Options plain = parse({});
  CHECK(plain.timeout == 300);
  CHECK(plain.devices.empty());
  CHECK(plain.shard == Shard{1, 1});
  CHECK_FALSE(plain.isArrayTask);
  CHECK_FALSE(plain.startTimeout);
  CHECK_FALSE(plain.inProcess);
  CHECK_FALSE(plain.resume);
  CHECK_FALSE(plain.quiet);
  const Options o = parse({"--devices", "0,2", "--devices", "cuda:3", "--shard", "2/8", "--timeout", "0.5", "--start-timeout",
                           "5", "--json", "r.jsonl", "--resume", "--quiet"});
  CHECK(o.devices == Names{"cuda:0", "cuda:2", "cuda:3"});
  CHECK(o.shard == Shard{2, 8});
  CHECK(o.timeout == 0.5);
  CHECK(o.startTimeout == 5);
  CHECK(o.resume);
  CHECK(o.quiet);
  CHECK(parse({"--in-process"}).inProcess);
  CHECK(parse({"--total-partitions", "8", "--partition-id", "0"}).shard == Shard{1, 8});
}

TEST_CASE("one value follows an option, as the help says; more are given with the option again, or in a list with commas") {
  CHECK(parse({"--help-all"}).text.find(" ...") == std::string::npos);
  const Options o =
      parse({"--inputs", "a", "--inputs", "b", "--op", "add,mul", "--op", "neg", "--filter", "a*", "--filter", "n*"});
  CHECK(o.inputs == Names{"a", "b"});
  CHECK(o.ops == Names{"add", "mul", "neg"});
  CHECK(o.filters == Names{"a*", "n*"});
  CHECK(refusal({"--inputs", "a", "b"}).starts_with("unknown command 'b'; "));
  CHECK(parse({"--op", "gelu", "doctor"}).verb == Verb::Doctor);
  CHECK(parse({"repro", "--schedule", "tile 4", "--schedule", "", "r.jsonl:2"}).reproCase == "r.jsonl:2");
}

TEST_CASE("whole numbers are read as people write them, and nothing else is taken for one") {
  CHECK(parse({"--max-bytes", "2e9"}).maxBytes == 2'000'000'000);
  CHECK(parse({"--max-samples", "010"}).maxSamples == 10);
  CHECK(parse({"--seed", "18446744073709551615"}).seed == 18446744073709551615ULL);
  for (const char* text : {"99999999999999999999", "1.5", "0x10", "much", "", "1e300", "nan"})
    CHECK(refusal({"--max-samples", text}).find(std::string("expected a whole number, got '") + text + "'") != std::string::npos);
}

TEST_CASE("what contradicts itself about a sweep is refused") {
  CHECK(refusal({"--devices", "first"}) == "--devices must be GPU numbers, as in 0,1, got 'first'");
  CHECK(refusal({"--devices", "0,1", "--device", "cpu"}) == "--devices cannot be combined with --device");
  CHECK(refusal({"--devices", "0,1", "--in-process"}) == "--devices cannot be combined with --in-process");
  CHECK(refusal({"--start-timeout", "-1"}) == "--start-timeout must be at least 0 (seconds), got -1");
  CHECK(refusal({"--threads", "20000"}).starts_with("--threads must be at most "));
  CHECK(refusal({"--timeout", "-1"}) == "--timeout must be at least 0 (seconds), got -1");
  CHECK(refusal({"--resume"}) == "--resume needs --json FILE, the results to continue");
  CHECK(refusal({"--resume", "--json", "-"}) == "--resume needs --json FILE, the results to continue");
  CHECK(refusal({"--shard", "two"}) == "--shard must be I/N, as in 2/8, got 'two'");
  CHECK(refusal({"--shard", "9/8"}) == "--shard is I/N with I from 1 to N, not 9/8");
  CHECK(refusal({"--shard", "1/2", "--total-partitions", "2", "--partition-id", "1"}) ==
        "--shard and --total-partitions both choose the shard; use one of them");
  CHECK(refusal({"--total-partitions", "2"}) ==
        "--total-partitions requires --partition-id (opbench --help-all lists the options)");
}

TEST_CASE("a suite's configuration, and whether what it calls slow is raced") {
  CHECK(parse({}).config.empty());
  CHECK_FALSE(parse({}).slow);
  const Options o = parse({"--config", "mine.yaml", "--slow"});
  CHECK(o.config == "mine.yaml");
  CHECK(o.slow);
}

TEST_CASE("a worker knows what its sweep is of") {
  const Options o = parse({"--worker", "300,2108,91823"});
  CHECK(o.verb == Verb::Work);
  CHECK(o.samples == 300);
  CHECK(o.recorded == Recorded{2108, 91823});
  CHECK(parse({"--help-all"}).text.find("--worker") == std::string::npos);
}

TEST_CASE("suites may be repeated or joined by commas") {
  CHECK(parse({"--suite", "timm,huggingface"}).suites == Names{"timm", "huggingface"});
  CHECK(parse({"--suite=timm", "--suite", "torchbench"}).suites == Names{"timm", "torchbench"});
}

TEST_CASE("--measure-nvfuser adds torchscript, once") {
  CHECK((parse({"--measure-nvfuser"}).contenders == std::vector{Contender::Eager, Contender::Opbench, Contender::Torchscript}));
  CHECK((parse({"--contenders", "eager,torchscript", "--measure-nvfuser"}).contenders ==
         std::vector{Contender::Eager, Contender::Torchscript}));
}

TEST_CASE("verbs") {
  CHECK(parse({"doctor"}).verb == Verb::Doctor);
  CHECK(parse({"--list"}).verb == Verb::List);
  CHECK(parse({"--list", "--markdown", "m.md"}).markdown == "m.md");
  CHECK(refusal({"--markdown", "m.md"}) == "--markdown needs --list, or opbench compare");
  CHECK(parse({"--help"}).verb == Verb::Print);
  CHECK(parse({"--version"}).text == versionText() + "\n");
  CHECK(versionText().starts_with("opbench 0.1.0 ("));
}

TEST_CASE("compare has two files and options of its own") {
  const Options o =
      parse({"compare", "a", "b", "--markdown", "m.md", "--junit", "j.xml", "--html", "c.html", "--fail-on", "gone,slow"});
  CHECK(o.verb == Verb::Compare);
  CHECK(o.compare.base == std::vector<std::string>{"a"});
  CHECK(o.compare.candidate == std::vector<std::string>{"b"});
  CHECK(std::vector{o.compare.markdown, o.compare.junit, o.compare.html} == std::vector<std::string>{"m.md", "j.xml", "c.html"});
  CHECK((failingVerdicts(o.compare) == std::set{compare::Verdict::Slow, compare::Verdict::Gone}));
  using compare::Verdict;
  CHECK((failingVerdicts({}) == std::set{Verdict::Slow, Verdict::Wrong, Verdict::Crash, Verdict::Impossible}));
  CHECK_FALSE(o.compare.force);
  const std::string help = parse({"compare", "--help"}).text;
  for (const char* option :
       {"BASE", "CANDIDATE", "--markdown", "--junit", "--html", "--fail-on", "--force", "--all", "Exit status"})
    CHECK_MESSAGE(help.find(option) != std::string::npos, option);
  const std::string two = "compare takes two files of results, or several of each build: BASE.. -- CANDIDATE..";
  CHECK(refusal({"compare", "a.jsonl"}) == two);
  CHECK(refusal({"compare", "a", "b", "c"}) == two);
  CHECK(refusal({"compare", "a", "b", "--marcdown", "m"}) ==
        "unknown option '--marcdown'; did you mean --markdown? (opbench compare --help lists the options)");
  CHECK_THROWS_WITH_AS(failingVerdicts(parse({"compare", "a", "b", "--fail-on", "slwo"}).compare),
                       "--fail-on must be a list of slow, wrong, crash, impossible and gone, or none; got 'slwo'", ir::Error);
}

TEST_CASE("the option's earlier name leads to --aa") {
  CHECK(refusal({"--self-test"}) == "unknown option '--self-test'; did you mean --aa? (opbench --help-all lists the options)");
  CHECK(refusal({"model", "alexnet", "--inductor"}) == "unknown option '--inductor'; use --contenders eager,inductor");
  CHECK(refusal({"model", "alexnet", "--device_idx=1"}) == "unknown option '--device_idx=1'; use --device cuda:N");
  CHECK(refusal({"--selftest"}) == "unknown option '--selftest'; did you mean --aa? (opbench --help-all lists the options)");
}

TEST_CASE("convert has a file of results, and formats to turn it into") {
  const Options o = parse({"convert", "r.jsonl", "--dashboard", "d.json", "--junit", "j.xml", "--html", "p.html"});
  CHECK(o.verb == Verb::Convert);
  CHECK(o.results == "r.jsonl");
  CHECK(o.dashboard == "d.json");
  CHECK(o.junit == "j.xml");
  CHECK(o.html == "p.html");
  CHECK(refusal({"convert", "r.jsonl"}) ==
        "convert: no output given; use --samples-csv FILE, --dashboard FILE, --junit FILE or --html FILE");
}

TEST_CASE("repro has a case, a folder to write, and a race's options") {
  const Options o = parse({"repro", "r.jsonl:12", "--output", "d", "--dtype", "float16", "--seed", "7"});
  CHECK(o.verb == Verb::Repro);
  CHECK(o.reproCase == "r.jsonl:12");
  CHECK(o.output == "d");
  CHECK(o.dtype == ir::DType::F16);
  CHECK(o.seed == 7);
  CHECK(o.program == "/opt/opbench/bin/opbench");
  CHECK(refusal({"repro"}) == "CASE is required (opbench --help-all lists the options)");
}

TEST_CASE("the cache's folder: the option, OPBENCH_CACHE, XDG_CACHE_HOME, HOME, or none") {
  Environment e;
  CHECK(parseOptions({}, e).cache.folder == "");
  e.home = "/home/ada";
  CHECK(parseOptions({}, e).cache.folder == "/home/ada/.cache/opbench/kernels");
  e.xdgCacheHome = "/x";
  CHECK(parseOptions({}, e).cache.folder == "/x/opbench/kernels");
  e.cache = "/c";
  CHECK(parseOptions({}, e).cache.folder == "/c");
  CHECK(parseOptions({"--cache", "/o"}, e).cache.folder == "/o");
  CHECK(parseOptions({"--no-cache"}, e).cache.folder == "");
}

TEST_CASE("the key of the cache lies where the user's state does") {
  Environment e;
  CHECK(parseOptions({}, e).cache.keyFile == "");
  e.home = "/home/ada";
  CHECK(parseOptions({}, e).cache.keyFile == "/home/ada/.local/state/opbench/cache.key");
  e.xdgStateHome = "relative";
  CHECK(parseOptions({}, e).cache.keyFile == "/home/ada/.local/state/opbench/cache.key");
  e.xdgStateHome = "/s";
  CHECK(parseOptions({}, e).cache.keyFile == "/s/opbench/cache.key");
}

TEST_CASE("a cache is a group's where the option or OPBENCH_SHARED_CACHE says so") {
  Environment e;
  e.cache = "/c";
  CHECK_FALSE(parseOptions({}, e).cache.isShared);
  CHECK(parseOptions({"--shared-cache"}, e).cache.isShared);
  e.sharedCache = "0";
  CHECK_FALSE(parseOptions({}, e).cache.isShared);
  e.sharedCache = "1";
  CHECK(parseOptions({}, e).cache.isShared);
  CHECK_FALSE(parseOptions({"--compiler"}, e).cache.isShared);
  CHECK_FALSE(parseOptions({"--worker", "1,1,1"}, e).cache.isShared);
  e.sharedCache = "yes";
  CHECK_THROWS_WITH(parseOptions({}, e), "OPBENCH_SHARED_CACHE must be 0 or 1, got 'yes'");
}

TEST_CASE("refusals") {
  CHECK(refusal({"--cache-size", "-1"}) == "--cache-size must be at least 0, got -1");
  CHECK(refusal({"--dtype", "int32"}) == "--dtype must be float16, bfloat16, float32 or float64, got 'int32'");
  CHECK(refusal({"--device", "gpu"}) == "--device must be cpu, cuda or cuda:N, got 'gpu'");
  CHECK(refusal({"--device", "cuda:x"}) == "--device must be cpu, cuda or cuda:N, got 'cuda:x'");
  CHECK(refusal({"--contenders", "eager,nvfuser"}) ==
        "unknown contender 'nvfuser'; choose from eager, opbench, inductor, torchscript, cudnn, kernel::NAME of --kernel, "
        "LIBRARY or LIBRARY::NAME of --load");
  CHECK(refusal({"--contenders", "eager,opbnech"}) ==
        "unknown contender 'opbnech'; choose from eager, opbench, inductor, torchscript, cudnn, kernel::NAME of --kernel, "
        "LIBRARY or LIBRARY::NAME of --load; did you mean opbench?");
  CHECK(refusal({"--contenders", "eager,eager"}) == "--contenders: 'eager' is given twice");
  CHECK(refusal({"--contenders", ","}) == "--contenders is empty; choose from eager, opbench, inductor, torchscript, cudnn");
  CHECK(refusal({"--repeats", "-1"}) == "--repeats must be at least 1, got -1");
  CHECK(refusal({"--precision", "0"}) == "--precision must be greater than 0 and less than 100 (percent), got 0");
  CHECK(refusal({"--max-time", "0"}) == "--max-time must be greater than 0 (seconds), got 0");
  CHECK(refusal({"--flush", "away"}) == "--flush must be write or read, got 'away'");
  CHECK(refusal({"--max-samples", "-1"}) == "--max-samples must be at least 0, got -1");
  CHECK(refusal({"--max-cases", "-1"}) == "--max-cases must be at least 0, got -1");
  CHECK(refusal({"--accuracy-checking", "--no-accuracy-checking"}) ==
        "--accuracy-checking and --no-accuracy-checking contradict each other");
  CHECK(refusal({"--no-timing", "--no-accuracy-checking"}) == "--no-timing cannot be combined with --no-accuracy-checking");
  const std::string profiled = toText(ProfileSettings{.folder = "traces"});
  CHECK(refusal({"--no-timing", "--no-accuracy-checking", "--traces", profiled}) == "accepted");  // a worker of `opbench profile`
  CHECK(refusal({"--no-timing", "--tune"}) == "--no-timing cannot be combined with --tune");
  CHECK(refusal({"--op", ","}) == "--op is empty; give an operator, a packet, a glob or all");
  CHECK(refusal({"--csv", "-", "--json", "-"}) == "--csv - and --json - cannot both write to standard output");
  CHECK(refusal({"--suite", "timm", "--inputs", "d"}) ==
        "--suite cannot be combined with --inputs or --inp-file; samples come from one place");
  CHECK(refusal({"--dtpye", "float16"}) ==
        "unknown option '--dtpye'; did you mean --dtype? (opbench --help-all lists the options)");
  CHECK(refusal({"recrod", "gpt2"}) == "unknown command 'recrod'; did you mean record or repro?");
  CHECK(refusal({"--siblings", "2", "--no-accuracy-checking"}) == "--siblings cannot be combined with --no-accuracy-checking");
  CHECK(refusal({"aten.add.Tensor"}) ==
        "unknown command 'aten.add.Tensor'; commands are doctor, show, compare, convert, merge, repro, challenge, profile, rnn, "
        "model, "
        "record, man, completion; "
        "operators are given with --op, and one value follows an option");
  CHECK(refusal({"--repeats", "many"}).starts_with("--repeats: expected a whole number, got 'many'"));
}

TEST_CASE("distributions and faults are known words; faults are not for users, and --help is silent about them") {
  CHECK(refusal({"--data", "gaussian"}) ==
        "--data must be one of normal, uniform, small-int, zeros, positive, levels, far, spread, specials, got 'gaussian'");
  CHECK(refusal({"--fault", "none"}).starts_with("--fault must be one of unwritten-tail, off-by-one, "));
  CHECK(parse({"--help-all"}).text.find("--data") != std::string::npos);
  CHECK(parse({"--help-all"}).text.find("--fault") == std::string::npos);
}
