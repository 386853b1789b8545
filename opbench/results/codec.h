#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opbench/results/fields.h"

// Fields of JSON objects, each written and read by one row of a table. A row names its field and, by OF or IN, the place where
// its value is kept in a struct.

namespace opbench::results {

using OrderedJson = nlohmann::ordered_json;

/// A struct as a writer sees it.
template <typename T>
struct SeenBy {
  using Writer = const T;
};
template <typename T>
using Seen = typename SeenBy<T>::Writer;

/// One field of an object that is kept as a T: `write` adds it, `read` sets the place where it is kept, and leaves alone what the
/// object lacks where that has no meaning of its own.
template <typename T>
struct Field {
  std::string name;  ///< `median_us`; of several fields that make one value `low_us, high_us`
  std::function<void(OrderedJson&, Seen<T>&)> write;
  std::function<void(const Fields&, T&)> read;
};

/// The place of a member of the struct that a table is for.
#define OF(member) [](auto& it) { return &it.member; }
/// The place of a member of an optional's value; null where it has none. A field before it in the table makes the optional.
#define IN(optional, member) [](auto& it) { return it.optional ? &it.optional->member : nullptr; }

/// Factors between a value and its field.
struct Unit {
  double written = 1, read = 1;
};
inline constexpr Unit one{1, 1}, microseconds{1e6, 1e-6}, milliseconds{1e3, 1e-3}, millijoules{1e3, 1e-3}, megahertz{1e-6, 1e6},
    giga{1e-9, 1e9}, tera{1e-12, 1e12};

/// A number without the digits that carry only noise.
inline double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// The type of the value at a place in a T.
template <typename T, typename At>
using ValueAt = std::remove_cvref_t<decltype(*std::declval<At>()(std::declval<T&>()))>;

/// The largest whole number that is read as a value: what a double holds as well.
template <typename Value>
inline constexpr int64_t largest = std::is_same_v<Value, int> ? std::numeric_limits<int>::max() : 9'000'000'000'000'000;

/// A text that is there always; nothing is read as an empty one.
template <typename T, typename At>
Field<T> text(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) { *at(it) = fields.text(name); }};
}

/// A text that must be there.
template <typename T, typename At>
Field<T> requiredText(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) { *at(it) = fields.requiredText(name); }};
}

/// A text that is left out where it is empty.
template <typename T, typename At>
Field<T> textIfAny(const char* name, At at) {
  Field<T> field = text<T>(name, at);
  field.write = [=](OrderedJson& object, Seen<T>& it) {
    if (!at(it)->empty()) object[name] = *at(it);
  };
  return field;
}

/// A text that is null where it is empty.
template <typename T, typename At>
Field<T> textOrNull(const char* name, At at) {
  Field<T> field = text<T>(name, at);
  field.write = [=](OrderedJson& object, Seen<T>& it) {
    object[name] = at(it)->empty() ? OrderedJson(nullptr) : OrderedJson(*at(it));
  };
  return field;
}

/// A whole number from 0; what is absent is `otherwise`. `most` is the largest that is read; 0 is the largest of its type.
template <typename T, typename At>
Field<T> whole(const char* name, At at, int64_t otherwise = 0, int64_t most = 0) {
  using Value = ValueAt<T, At>;
  const int64_t bound = most > 0 ? most : largest<Value>;
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            const auto* value = at(it);
            object[name] = value ? *value : static_cast<Value>(otherwise);
          },
          [=](const Fields& fields, T& it) {
            if (auto* value = at(it)) *value = static_cast<Value>(fields.integer(name, bound).value_or(otherwise));
          }};
}

/// A whole number from 0 in an optional; null where it holds nothing.
template <typename T, typename At>
Field<T> wholeOrNull(const char* name, At at) {
  Field<T> field = whole<T>(name, at);
  field.write = [=](OrderedJson& object, Seen<T>& it) {
    const auto* value = at(it);
    object[name] = value ? OrderedJson(*value) : OrderedJson(nullptr);
  };
  return field;
}

/// A flag; what is absent is not set.
template <typename T, typename At>
Field<T> flag(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = at(it) != nullptr && *at(it); },
          [=](const Fields& fields, T& it) {
            if (auto* value = at(it)) *value = fields.flag(name);
          }};
}

/// A flag that is left out where it is not set.
template <typename T, typename At>
Field<T> flagIfSet(const char* name, At at) {
  Field<T> field = flag<T>(name, at);
  field.write = [=](OrderedJson& object, Seen<T>& it) {
    if (*at(it)) object[name] = true;
  };
  return field;
}

/// A number from 0 in a unit, to so many decimals. An optional one is null where there is none; another one that is absent is
/// `otherwise`.
template <typename T, typename At>
Field<T> number(const char* name, At at, Unit unit, int decimals, double otherwise = 0) {
  using Value = ValueAt<T, At>;
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            const auto* value = at(it);
            if constexpr (IsOptional<Value>::value)
              object[name] = value && *value ? OrderedJson(rounded(**value * unit.written, decimals)) : OrderedJson(nullptr);
            else
              object[name] = value ? OrderedJson(rounded(*value * unit.written, decimals)) : OrderedJson(nullptr);
          },
          [=](const Fields& fields, T& it) {
            auto* value = at(it);
            if (!value) return;
            const auto found = fields.number(name);
            if constexpr (IsOptional<Value>::value)
              *value = found ? std::optional(*found * unit.read) : std::nullopt;
            else
              *value = found ? *found * unit.read : otherwise;
          }};
}

/// A number that is null where it is 0, which stands for one that is not known.
template <typename T, typename At>
Field<T> numberIfKnown(const char* name, At at, Unit unit, int decimals) {
  Field<T> field = number<T>(name, at, unit, decimals);
  field.write = [=](OrderedJson& object, Seen<T>& it) {
    object[name] = *at(it) > 0 ? OrderedJson(rounded(*at(it) * unit.written, decimals)) : OrderedJson(nullptr);
  };
  return field;
}

/// A number from 0 with all its digits; one that is absent is `otherwise`.
template <typename T, typename At>
Field<T> exactNumber(const char* name, At at, double otherwise = 0) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) { *at(it) = fields.number(name).value_or(otherwise); }};
}

/// A number of any sign with all its digits, null where it is not finite.
template <typename T, typename At>
Field<T> finite(const char* name, At at) {
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            object[name] = std::isfinite(*at(it)) ? OrderedJson(*at(it)) : OrderedJson(nullptr);
          },
          [=](const Fields& fields, T& it) { *at(it) = fields.signedNumber(name).value_or(NAN); }};
}

/// A number of an optional struct that is there where the number is.
template <typename T, typename Part, typename At>
Field<T> numberThatTells(const char* name, At at, double Part::* member, Unit unit, int decimals) {
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            const auto& part = *at(it);
            object[name] = part ? OrderedJson(rounded((*part).*member * unit.written, decimals)) : OrderedJson(nullptr);
          },
          [=](const Fields& fields, T& it) {
            if (const auto found = fields.number(name)) at(it)->emplace().*member = *found * unit.read;
          }};
}

/// Numbers from 0 in a unit, to so many decimals.
template <typename T, typename At>
Field<T> numbers(const char* name, At at, Unit unit, int decimals) {
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            object[name] = OrderedJson::array();
            if (const auto* values = at(it))
              for (const double value : *values) object[name].push_back(rounded(value * unit.written, decimals));
          },
          [=](const Fields& fields, T& it) {
            auto* values = at(it);
            if (!values) return;
            values->clear();
            for (const double value : fields.numbers(name)) values->push_back(value * unit.read);
          }};
}

/// Whole numbers from 0.
template <typename T, typename At>
Field<T> wholes(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) {
            for (const double value : fields.numbers(name)) at(it)->push_back(static_cast<int64_t>(value));
          }};
}

/// Texts.
template <typename T, typename At>
Field<T> texts(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) { *at(it) = fields.texts(name); }};
}

/// A whole number from 0 that may be unknown, which is null.
template <typename T, typename At>
Field<T> wholeIfKnown(const char* name, At at) {
  using Value = typename ValueAt<T, At>::value_type;
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it) ? OrderedJson(**at(it)) : OrderedJson(nullptr); },
          [=](const Fields& fields, T& it) {
            const auto found = fields.integer(name, largest<Value>);
            *at(it) = found ? std::optional(static_cast<Value>(*found)) : std::nullopt;
          }};
}

/// A flag that may be unknown, which is null.
template <typename T, typename At>
Field<T> flagOrNull(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it) ? OrderedJson(**at(it)) : OrderedJson(nullptr); },
          [=](const Fields& fields, T& it) {
            if (fields.has(name)) *at(it) = fields.flag(name);
          }};
}

/// A whole number of any sign.
template <typename T, typename At>
Field<T> signedWhole(const char* name, At at) {
  return {name, [=](OrderedJson& object, Seen<T>& it) { object[name] = *at(it); },
          [=](const Fields& fields, T& it) { *at(it) = static_cast<int64_t>(fields.signedNumber(name).value_or(0)); }};
}

/// An object's fields by a table.
template <typename T>
OrderedJson written(Seen<T>& it, const std::vector<Field<T>>& table) {
  OrderedJson object = OrderedJson::object();
  for (const Field<T>& field : table) field.write(object, it);
  return object;
}

template <typename T>
void readInto(T& it, const Fields& fields, const std::vector<Field<T>>& table) {
  for (const Field<T>& field : table) field.read(fields, it);
}

/// An optional struct, whose fields have a table; null where there is none.
template <typename T, typename Part, typename At>
Field<T> object(const char* name, At at, const std::vector<Field<Part>>& (*table)()) {
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            const auto* part = at(it);
            object[name] = part && *part ? written<Part>(**part, table()) : OrderedJson(nullptr);
          },
          [=](const Fields& fields, T& it) {
            auto* part = at(it);
            const auto found = fields.object(name);
            if (!part || !found) return;
            part->emplace();
            readInto<Part>(**part, *found, table());
          }};
}

/// An optional struct that is left out where there is none.
template <typename T, typename Part, typename At>
Field<T> objectIfAny(const char* name, At at, const std::vector<Field<Part>>& (*table)()) {
  Field<T> field = object<T, Part>(name, at, table);
  field.write = [at, write = field.write](OrderedJson& object, Seen<T>& it) {
    if (const auto* part = at(it); part && *part) write(object, it);
  };
  return field;
}

/// A list of structs, whose fields have a table.
template <typename T, typename Part, typename At>
Field<T> objects(const char* name, At at, const std::vector<Field<Part>>& (*table)()) {
  return {name,
          [=](OrderedJson& object, Seen<T>& it) {
            object[name] = OrderedJson::array();
            if (const auto* parts = at(it))
              for (const Part& part : *parts) object[name].push_back(written<Part>(part, table()));
          },
          [=](const Fields& fields, T& it) {
            auto* parts = at(it);
            if (!parts) return;
            parts->clear();
            for (const Fields& each : fields.objects(name)) readInto<Part>(parts->emplace_back(), each, table());
          }};
}

}  // namespace opbench::results
