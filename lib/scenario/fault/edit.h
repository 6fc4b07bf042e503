// FaultEdit: one change to an emulated machine, and the table of all that a fault file can name.
//
// A fault is a YAML file that says which of these it makes, so that a new fault is mostly a file.
// An edit changes what the machine says and nothing else; it works on what earlier faults left.
#ifndef RAILGAUGE_LIB_SCENARIO_FAULT_EDIT_H_
#define RAILGAUGE_LIB_SCENARIO_FAULT_EDIT_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/units.h"
#include "lib/scenario/emulated_machine.h"
#include "lib/scenario/fault/target.h"
#include "lib/scenario/fault/value.h"
#include "lib/scenario/yaml_reader.h"

namespace railgauge {

// What one fault on a command line is about.
struct FaultRequest {
  FaultTarget target;
  FaultValue value;
  Nanoseconds start{0};
};

// The arguments of one edit, checked when the file was read. The word `value` stands for what the
// user gave.
class EditArguments {
 public:
  EditArguments(const std::map<std::string, std::string>& given, const FaultRequest& request)
      : given_(given), request_(request) {}

  const FaultTarget& target() const { return request_.target; }
  const FaultValue& value() const { return request_.value; }
  Nanoseconds start() const { return request_.start; }
  // Empty when the edit leaves the argument out.
  std::optional<std::string> Word(const std::string& name) const;
  double Number(const std::string& name) const;

 private:
  const std::map<std::string, std::string>& given_;
  const FaultRequest& request_;
};

struct EditParameter {
  std::string_view name;
  bool required = true;
  std::span<const std::string_view> words = {};  // one of these; empty: a number
};

struct EditPrimitive {
  std::string_view name;
  std::span<const EditParameter> parameters;
  // The error has no object: the caller knows the fault.
  Status (*apply)(const EditArguments& arguments, EmulatedMachine* machine);
};

// The parts of the table, by what they change.
std::span<const EditPrimitive> CapacityEdits();
std::span<const EditPrimitive> TopologyEdits();
std::span<const EditPrimitive> DeviceEdits();
std::span<const EditPrimitive> TimingEdits();

struct FaultEdit {
  const EditPrimitive* primitive = nullptr;
  std::map<std::string, std::string> arguments;
};

// {edit: scale_lines, by: value}. An unknown edit or argument, and one that is missing or not of
// its kind, are errors.
FaultEdit ReadFaultEdit(const YamlNode& node, YamlErrors* errors);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_SCENARIO_FAULT_EDIT_H_
