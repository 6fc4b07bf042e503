// LaunchTemplate: how a command is started on a node of the fleet. Pure.
//
// A template is a command line of this host with placeholders. It is split into words as a shell
// does (blanks divide, quotes hold together) and no shell reads it, so that no host name and no
// path can mean more than it says:
//   {host}     the node's name           {index}   its place in the plan, from 0
//   {address}  where others reach it     {argv}    the command's words; a word of its own
//   {command}  the command as one word that a shell at the node reads (what ssh wants)
#ifndef RAILGAUGE_LIB_FLEET_LAUNCH_TEMPLATE_H_
#define RAILGAUGE_LIB_FLEET_LAUNCH_TEMPLATE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/fleet/host_list.h"

namespace railgauge {

class LaunchTemplate {
 public:
  // "srun", "ssh" and "mpirun" stand for templates (PresetOf); else the text is one. Errors: quotes
  // that do not close, a placeholder that there is not, no or both of {argv} and {command}.
  static Result<LaunchTemplate> Parse(std::string_view text);

  std::vector<std::string> Expand(const FleetNode& node, size_t index,
                                  const std::vector<std::string>& command) const;

 private:
  explicit LaunchTemplate(std::vector<std::string> words) : words_(std::move(words)) {}
  std::vector<std::string> words_;
};

// The template that a name stands for; empty for another text.
std::string_view PresetOf(std::string_view name);

}  // namespace railgauge

#endif  // RAILGAUGE_LIB_FLEET_LAUNCH_TEMPLATE_H_
