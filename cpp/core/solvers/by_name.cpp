#include "solvers/by_name.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/perceptron.hpp"

namespace svm {

// One line for each solver. Its name is that of the class; the settings' names are those of the Python class.
const std::map<std::string, MakeKernelSolver>& named_solvers() {
  using Rows = RowSource;
  using Settings = NamedSettings;
  using Seed = std::uint64_t;
  static const std::map<std::string, MakeKernelSolver> list{
      {"Perceptron", [](Rows& rows, Settings&, Seed seed) { return std::make_unique<Perceptron>(rows, seed); }},
  };
  return list;
}

double NamedSettings::number(const char* name, double otherwise) {
  names_.emplace_back(name);
  const auto given = values_.find(name);
  return given == values_.end() ? otherwise : given->second;
}

bool NamedSettings::flag(const char* name, bool otherwise) {
  const double value = number(name, otherwise ? 1.0 : 0.0);
  require(value == 0.0 || value == 1.0, std::string(name) + " = " + std::to_string(value) + " is neither 0 nor 1");
  return value == 1.0;
}

std::uint64_t NamedSettings::count(const char* name, std::uint64_t otherwise) {
  constexpr double most = 9007199254740992.0;  // 2^53: a double has every whole number up to here
  const double value = number(name, static_cast<double>(otherwise));
  require(value >= 0.0 && value <= most && std::floor(value) == value,
          std::string(name) + " = " + std::to_string(value) + " is not a whole number from 0 to 2^53");
  return static_cast<std::uint64_t>(value);
}

void NamedSettings::require_all_read() const {
  for (const auto& [name, value] : values_) {
    require(std::find(names_.begin(), names_.end(), name) != names_.end(), "there is no setting called " + name);
  }
}

std::unique_ptr<KernelSolver> make_by_name(const std::string& name, RowSource& rows, NamedSettings settings,
                                           std::uint64_t seed) {
  const auto make = named_solvers().find(name);
  require(make != named_solvers().end(), "there is no kernel solver called " + name);
  auto solver = make->second(rows, settings, seed);
  settings.require_all_read();
  return solver;
}

}  // namespace svm
