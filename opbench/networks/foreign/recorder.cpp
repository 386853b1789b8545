#include "opbench/networks/foreign/recorder.h"

#include <algorithm>
#include <cctype>

#include "inputs/files.h"
#include "inputs/text/printable.h"
#include "ir/error.h"
#include "opbench/networks/foreign/child.h"
#include "opbench/networks/record.h"
#include "opbench/process/channel.h"
#include "opbench/process/fence.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

using Json = nlohmann::json;

/// Refuses a child's name that has other characters than letters and digits: its names become names of files.
void requireName(const std::string& name) {
  const bool isName =
      !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  if (!isName) throw ChildLost("it sent an unreadable reply");
}

Recording recordingIn(const Json& reply) {
  try {
    Recording recording{reply.at("calls").get<std::string>(), reply.at("regions").get<std::map<std::string, std::string>>(),
                        inputs::printable(reply.at("report").get<std::string>()), reply.at("fine").get<bool>()};
    for (const auto& [name, text] : recording.regions) requireName(name);
    return recording;
  } catch (const Json::exception&) {
    throw ChildLost("it sent an unreadable reply");
  }
}

}  // namespace

bool record(const Options& options, std::ostream& out) {
  const RecordOptions& recording = options.recording;
  if (!recording.out.empty()) inputs::checkWritable(recording.out);
  std::vector<std::string> words{"--recorder"};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  Process child(std::string(thisProgram), words);
  try {
    const Recording found = recordingIn(replyOf(child, options.timeout));
    write(found, recording, out);
    return found.isFine;
  } catch (const ChildLost& lost) {
    ir::fail(ir::ErrorKind::Toolchain, "{} cannot be recorded: {}", recording.model.models.front(), lost.what());
  }
}

void recordForParent(const Options& options, const std::string& device) {
  const Channel channel;
  const bool hasFiles = fenceFiles({});
  answer([&] {
    const auto opened = runtime::openDevice(device, options.threads);
    const std::string missing = missingFences(hasFiles, fenceCalls());
    Recording found = recordingOf(options, *opened);
    if (!missing.empty()) found.report += "recorded without " + missing + ", which this system lacks\n";
    return Json{{"calls", found.calls}, {"regions", found.regions}, {"report", found.report}, {"fine", found.isFine}};
  });
}

}  // namespace opbench
