#include "opbench/networks/foreign/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "inputs/text/printable.h"
#include "ir/error.h"
#include "opbench/process/channel.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"

namespace opbench {
namespace {

using Json = nlohmann::json;
using ir::ErrorKind;

constexpr std::array kinds{ErrorKind::Input, ErrorKind::Unsupported, ErrorKind::Toolchain, ErrorKind::Internal};
constexpr size_t noDevice = kinds.size();  // as a kind

Json failure(const char* what, size_t kind) { return {{"error", what}, {"kind", kind}}; }

Json outcomeOf(const std::function<Json()>& work) {
  try {
    return work();
  } catch (const runtime::NoDevice& error) {
    return failure(error.what(), noDevice);
  } catch (const ir::Error& error) {
    return failure(error.what(), static_cast<size_t>(std::find(kinds.begin(), kinds.end(), error.kind()) - kinds.begin()));
  } catch (const std::exception& error) {
    return failure(error.what(), 2);
  }
}

}  // namespace

std::string toLine(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json replyOf(Process& child, double seconds) {
  const auto deadline = deadlineAfter(seconds);
  const auto line = child.lineBefore(deadline);
  if (!line && std::chrono::steady_clock::now() >= deadline) throw ChildLost(fmt::format("timed out after {} s", seconds));
  if (!line) throw ChildLost(child.ending());
  try {
    const Json reply = Json::parse(*line);
    if (!reply.contains("error")) return reply;
    const std::string what = inputs::printable(reply["error"].get<std::string>());
    const auto kind = reply.at("kind").get<size_t>();
    if (kind >= kinds.size()) throw runtime::NoDevice(what);
    throw ir::Error(kinds.at(kind), what);
  } catch (const Json::exception&) {
    throw ChildLost("it sent an unreadable reply");
  }
}

void answer(const std::function<Json()>& work) { Channel::send(toLine(outcomeOf(work))); }

}  // namespace opbench
