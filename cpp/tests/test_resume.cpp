// Every solver: the same bits in one call or many, with interruptions, and from a state; on kernel rows also with the
// smallest cache. A class in a header of solvers/ without a case here is a failure.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "check.hpp"
#include "data.hpp"
#include "solvers/asset.hpp"
#include "solvers/cpsp.hpp"
#include "solvers/cutting_planes.hpp"
#include "solvers/dcd.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/minibatch.hpp"
#include "solvers/mpu.hpp"
#include "solvers/pegasos.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/sgd.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/simba.hpp"
#include "solvers/smo.hpp"
#include "solvers/svmlight.hpp"
#include "solvers/svmsgd.hpp"

using svm::AssetStream;
using svm::KernelSolver;
using svm::LinearSolver;
using svm::RowSource;
using svm::Solver;
using svm::Status;

namespace {

/// The same points for both kinds of solvers.
struct Problem {
  RowSource& rows;
  const svm::FeatureMatrix& features;
};

struct Case {
  std::string method;
  std::function<std::unique_ptr<Solver>(const Problem&)> make;
};

/// A case of a solver that is made from rows or features and `arguments`.
template <typename Method, typename... Arguments>
Case on(const char* name, const Arguments&... arguments) {
  return {name, [=](const Problem& problem) {
            if constexpr (std::is_base_of_v<KernelSolver, Method>) {
              return std::make_unique<Method>(problem.rows, arguments...);
            } else {
              return std::make_unique<Method>(problem.features, arguments...);
            }
          }};
}

constexpr std::size_t stream_length = 700;
constexpr std::size_t stream_dimension = 4;

std::vector<Case> all_cases() {
  const svm::AssetSettings asset{0.01, false, 0.5, 1.0, 20, 30};
  const svm::MiniBatchSettings batches{0.01, 20, svm::Averaging::tail, 1};
  return {
      on<svm::Sbp>("Sbp", svm::SbpSettings{0.1, false, true, 0.0}, 1),
      on<svm::Sbp>("Sbp", svm::SbpSettings{0.1, true, true, 3.0}, 1),
      on<svm::Sbp>("Sbp", svm::SbpSettings{0.0, true, false, 3.0}, 1),
      on<svm::Sbp>("Sbp", svm::SbpSettings{1e-20, true, true, 0.0}, 1),
      on<svm::Sbp>("Sbp", svm::SbpSettings{1e20, false, true, 0.0}, 1),
      on<svm::Pegasos>("Pegasos", svm::PegasosSettings{0.01, true, svm::Accounting::kept}, 1),
      on<svm::Pegasos>("Pegasos", svm::PegasosSettings{0.01, false, svm::Accounting::on_demand}, 1),
      on<svm::Pegasos>("Pegasos", svm::PegasosSettings{1e-7, true, svm::Accounting::on_demand}, 1),
      on<svm::Perceptron>("Perceptron", 1),
      on<svm::Sdca>("Sdca", svm::SdcaSettings{}, 1),
      on<svm::Smo>("Smo", svm::SmoSettings{10.0, 0.0}),
      on<svm::SmoWithBias>("SmoWithBias", svm::SmoSettings{10.0, 0.0}),
      on<svm::SvmLight>("SvmLight", svm::SvmLightSettings{10.0, false, 0.0, 4, 5}),
      on<svm::SvmLight>("SvmLight", svm::SvmLightSettings{10.0, true, 0.0, 10, 20}),
      on<svm::Lasvm>("Lasvm", svm::LasvmSettings{10.0, false, 0.0, 0}, 1),
      on<svm::Lasvm>("Lasvm", svm::LasvmSettings{10.0, true, 0.0, 2, 0.5}, 1),
      on<svm::Asset>("Asset", svm::AssetBatchSettings{asset, false}, 5),
      on<svm::Asset>("Asset", svm::AssetBatchSettings{asset, true}, 5),
      {"AssetStream",
       [asset](const Problem&) { return std::make_unique<AssetStream>(stream_length, 7, stream_dimension, asset); }},
      on<svm::Cpsp>("Cpsp", svm::CpspSettings{0.25, 0.01, 1e-6, 20, 2}, 5),
      on<svm::SvmPerf>("SvmPerf", svm::CuttingPlaneSettings{1e-3, 1e-9}),
      on<svm::Ocas>("Ocas", svm::OcasSettings{1e-3, 1e-9, 0.1}),
      on<svm::Dcd>("Dcd", svm::DcdSettings{2.0, 1e-9, true, true}, 3),
      on<svm::Dcd>("Dcd", svm::DcdSettings{2.0, 1e-9, false, false}, 3),
      on<svm::LinearPegasos>("LinearPegasos", svm::LinearPegasosSettings{0.01, true}, 3),
      on<svm::LinearPegasos>("LinearPegasos", svm::LinearPegasosSettings{0.01, false}, 3),
      on<svm::MiniBatchPegasos>("MiniBatchPegasos", batches, 5),
      on<svm::MiniBatchSdca>("MiniBatchSdca",
                             svm::MiniBatchSdcaSettings{batches, svm::SdcaVariant::aggressive, 4.0, 0.95}, 5),
      on<svm::Mpu>("Mpu", svm::MpuSettings{0.01, 1e-6}, 5),
      on<svm::SgdRandom>("SgdRandom", svm::SgdRandomSettings{0.01}, 5),
      on<svm::SgdPasses<double>>("SgdPasses", svm::SgdSettings{0.01, 1e-9, 1e9, {3, 1}}, 5),
      on<svm::SgdPasses<float>>("SgdPasses", svm::SgdSettings{0.01, 1e-9}, 5),
      on<svm::Simba>("Simba", svm::SimbaSettings{0.1, false, 0}, 5),
      on<svm::Simba>("Simba", svm::SimbaSettings{0.1, true, 1000, true}, 5),
      on<svm::SvmSgd<double>>("TunedSgd", svm::SvmSgdSettings{0.01}, 5),
      on<svm::SvmSgd<float>>("TunedSgd", svm::SvmSgdSettings{0.01, 7.0}, 5),
      on<svm::SgdQn<double>>("TunedSgd", svm::SgdQnSettings{0.01, svm::SgdQnVariant::corrected, {}, 2}, 5),
      on<svm::SgdQn<double>>("TunedSgd", svm::SgdQnSettings{0.01, svm::SgdQnVariant::original, {}, 2}, 5),
  };
}

template <typename Base>
std::string abstract(const char* name) {
  static_assert(std::is_abstract_v<Base>);
  return name;
}

/// Every solver class that the headers declare has a case, or cannot be made.
void check_cases(const std::vector<Case>& cases) {
  std::set<std::string> known{
      abstract<KernelSolver>("KernelSolver"),
      abstract<LinearSolver>("LinearSolver"),
      abstract<svm::CuttingPlanes>("CuttingPlanes"),
      abstract<svm::DirectLoop<svm::Dcd, LinearSolver>>("DirectLoop"),
      abstract<svm::DualSolver>("DualSolver"),
      abstract<svm::FeatureSolver>("FeatureSolver"),
      abstract<svm::MiniBatchSolver>("MiniBatchSolver"),
  };
  for (const Case& one : cases) known.insert(one.method);
  std::size_t declared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SVM_SOLVERS)) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    for (std::string word, name; file >> word;) {  // class NAME [final] : public
      if (word != "class" || !(file >> name >> word)) continue;
      if (word == "final") file >> word;
      if (word != ":" || !(file >> word) || word != "public") continue;
      ++declared;
      const bool has_case = known.count(name) > 0;
      if (!has_case) std::cerr << "class " << name << " has no case in test_resume.cpp\n";
      CHECK(has_case);
    }
  }
  CHECK(declared >= known.size());
}

/// Hands the next block of made examples over.
void feed(AssetStream& stream) {
  svm::Random random(stream.fed(), svm::Purpose::data);
  std::vector<float> rows(stream.expected() * stream_dimension);
  for (float& value : rows) value = static_cast<float>(random.normal());
  std::vector<std::int8_t> labels(stream.expected());
  for (std::int8_t& label : labels) label = random.below(2) == 0 ? std::int8_t{1} : std::int8_t{-1};
  const std::vector<std::uint32_t> stored(labels.size(), 3);
  stream.feed(rows.data(), labels.data(), stored.data(), labels.size());
}

Status advance(Solver& solver, std::uint64_t iterations, const std::function<bool()>& interrupted = nullptr) {
  auto* const stream = dynamic_cast<AssetStream*>(&solver);
  svm::Limit limit;
  for (;;) {
    limit.iterations = iterations;
    if (stream != nullptr) {
      if (stream->counters().iterations == stream->fed() && stream->expected() > 0) feed(*stream);
      limit.iterations = std::min<std::uint64_t>(iterations, stream->fed());
    }
    const Status status = solver.advance(limit, interrupted);
    if (status != Status::iterations || limit.iterations == iterations) return status;
    if (stream->expected() == 0) return status;
  }
}

/// Appends the values that a caller can read and no later iteration does.
template <typename Real>
void append_updates(const Solver& solver, std::vector<double>& out) {
  if (const auto* const passes = dynamic_cast<const svm::SgdPasses<Real>*>(&solver)) {
    out.insert(out.end(), passes->updates().begin(), passes->updates().end());
    out.push_back(static_cast<double>(passes->checks()));
  }
}

/// All that a caller can read of the predictor.
std::vector<double> end_of(const Solver& solver) {
  std::vector<double> out;
  if (const auto* const kernel = dynamic_cast<const KernelSolver*>(&solver)) {
    out.resize(2 * kernel->size());
    kernel->coefficients(out.data());
    kernel->responses(out.data() + kernel->size());
    out.push_back(kernel->bias());
  } else if (const auto* const linear = dynamic_cast<const LinearSolver*>(&solver)) {
    out.resize(linear->dimension());
    linear->weights(out.data());
    out.push_back(linear->bias());
    if (!std::isnan(linear->lower_bound())) out.push_back(linear->lower_bound());
  } else if (const auto* const stream = dynamic_cast<const AssetStream*>(&solver)) {
    out.resize(2 * (stream->dimension() + 1));
    stream->average(out.data());
  } else {
    const auto& cpsp = dynamic_cast<const svm::Cpsp&>(solver);
    out = cpsp.weights();
    out.push_back(cpsp.lower_bound());
  }
  if (const auto* const sbp = dynamic_cast<const svm::Sbp*>(&solver)) out.push_back(sbp->level());
  append_updates<double>(solver, out);
  append_updates<float>(solver, out);
  return out;
}

/// The bytes of the state without the times, by member: NaN, a bound that is not known yet, equals itself.
std::map<std::string, std::string> members_of(Solver& solver) {
  std::map<std::string, std::string> members;
  for (const auto& [name, column] : solver.state()) {
    members[name] = std::visit(
        [](const auto& values) {
          return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
        },
        column);
  }
  for (const char* clock : {"cpu_seconds", "wall_seconds"}) CHECK(members.erase(clock) == 1);
  return members;
}

/// A second solver, with another row source of the same problem, continues from a state of the first.
void hand_on(const Problem& problem, const Problem& other_problem, const Case& one) {
  const auto whole = one.make(problem);
  for (const std::uint64_t place : {0, 1, 7, 130, 400}) {
    advance(*whole, place);
    const auto other = one.make(other_problem);
    other->restore(whole->state());
    CHECK(end_of(*other) == end_of(*whole) && members_of(*other) == members_of(*whole));
    CHECK(other->cpu_seconds() == whole->cpu_seconds() && other->wall_seconds() == whole->wall_seconds());
    const Status status = advance(*whole, place + 90);
    CHECK(advance(*other, place + 90) == status);
    const bool same = end_of(*other) == end_of(*whole) && members_of(*other) == members_of(*whole);
    if (!same) std::cerr << one.method << " differs after a state of iteration " << place << "\n";
    CHECK(same);
  }
}

/// Projections shrink coefficients until they underflow to 0: such an example is no support vector any more.
void check_support(RowSource& rows) {
  for (const auto accounting : {svm::Accounting::kept, svm::Accounting::on_demand}) {
    const svm::PegasosSettings settings{1e-7, true, accounting};
    svm::Pegasos solver(rows, settings, 1);
    std::vector<double> coefficients(rows.size());
    bool left = false;  // an example has left the support
    std::size_t before = 0;
    for (std::uint64_t place = 20; place <= 3000; place += 20) {
      advance(solver, place);
      solver.coefficients(coefficients.data());
      svm::State state = solver.state();
      auto& support = std::get<std::vector<std::uint64_t>>(state.at("rows.support"));
      const auto beta = std::get<std::vector<double>>(state.at("beta"));
      const auto zeros = static_cast<std::size_t>(std::count(beta.begin(), beta.end(), 0.0));
      CHECK(support[0] == rows.size() - zeros);
      left = left || support[0] < before;
      before = support[0];
      svm::Pegasos(rows, settings, 1).restore(state);
      --support[0];
      CHECK(svm::test::refuses([&] { svm::Pegasos(rows, settings, 1).restore(state); }, "support is not that of"));
    }
    CHECK(left);
  }
}

void check_archive() {
  std::vector<std::vector<float>> lists{{1.0F, 2.0F}, {}, {3.0F}};
  std::uint64_t large = (std::uint64_t{1} << 63) + 1;
  bool flag = true;
  svm::State state;
  svm::StateArchive writer(state);
  writer.lists("lists", lists);
  writer.number("large", large);
  writer.number("flag", flag);
  CHECK(svm::test::refuses([&] { writer.number("flag", flag); }, "two members are called flag"));
  const std::vector<std::vector<float>> before = std::exchange(lists, {});
  large = 0;
  flag = false;
  svm::StateArchive reader(std::as_const(state));
  reader.lists("lists", lists);
  reader.number("large", large);
  CHECK(!reader.read_all());
  reader.number("flag", flag);
  CHECK(reader.read_all());
  CHECK(lists == before && large == (std::uint64_t{1} << 63) + 1 && flag);
  std::get<std::vector<std::uint64_t>>(state["lists.sizes"])[0] = 9;
  svm::StateArchive wrong(std::as_const(state));
  CHECK(svm::test::refuses([&] { wrong.lists("lists", lists); }, "not one of this solver: lists"));
}

void cut(const Problem& problem, const Case& one) {
  const auto whole = one.make(problem);
  advance(*whole, 900);
  const auto pieces = one.make(problem);
  for (std::uint64_t k = 0; k <= 900; k += 1 + k / 3) advance(*pieces, k);
  advance(*pieces, 900, [] { return false; });
  CHECK(end_of(*whole) == end_of(*pieces));
  const auto stopped = one.make(problem);
  int interruptions = 0;
  Status status = Status::interrupted;
  while (status == Status::interrupted) {
    status = advance(*stopped, 900, [&] { return ++interruptions < 200; });
  }
  CHECK(interruptions > 3 || status == Status::converged);
  CHECK(end_of(*whole) == end_of(*stopped));
  CHECK(whole->counters().kernel_evaluations == stopped->counters().kernel_evaluations);
  CHECK(whole->counters().inner_products == stopped->counters().inner_products);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  constexpr std::size_t n = 131;
  const svm::test::Data data(n, 5, 9);
  const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.25, 0.0, 1};
  const std::vector<Case> cases = all_cases();
  check_cases(cases);
  for (const bool sparse : {false, true}) {
    for (const std::size_t positives : {std::size_t{1}, std::size_t{50}, n - 1}) {
      svm::CachedRows rows(gaussian, data.view(sparse), positives, 2);
      svm::CachedRows others(gaussian, data.view(sparse), positives, n);
      const svm::FeatureMatrix features(data.view(sparse), positives);
      for (const Case& one : cases) {
        cut({rows, features}, one);
        hand_on({rows, features}, {others, features}, one);
      }
    }
  }
  check_archive();
  // A long run that multiplies its scale into its arrays many times.
  svm::CachedRows rows(gaussian, data.view(false), 50, n);
  check_support(rows);
  svm::Sbp sbp(rows, {0.01, true, true, 2.0}, 3);
  advance(sbp, 200000);
  for (const double value : end_of(sbp)) CHECK(std::isfinite(value));
  return svm::test::finish();
}
