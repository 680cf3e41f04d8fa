// Fits against recorded labels of scikit-learn (tests/data/dbscan/record.py).
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "dbscan/dbscan_test.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

/// Integers: X times 2^bits, weights times 8, codes 2 label + core.
struct Recorded {
  std::string name;
  std::int64_t n = 0;
  std::int64_t d = 0;
  int bits = 0;
  DBSCANOptions options;
  std::vector<int> X;
  std::vector<int> weights;
  std::vector<int> codes;

  template <typename T>
  [[nodiscard]] Given<T> given() const {
    Given<T> result{Matrix<T>(n, d), options};
    for (std::size_t i = 0; i < X.size(); ++i) result.X.data()[i] = static_cast<T>(std::ldexp(X[i], -bits));
    if (!weights.empty()) {
      result.weights.emplace(n);
      for (std::size_t i = 0; i < weights.size(); ++i) result.weights->data()[i] = static_cast<T>(weights[i]) / T{8};
    }
    return result;
  }

  [[nodiscard]] Clustering clustering() const {
    Clustering result;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const bool is_core = codes[i] % 2 != 0;
      result.labels.push_back((codes[i] - (is_core ? 1 : 0)) / 2);
      result.n_clusters = std::max(result.n_clusters, result.labels.back() + 1);
      if (is_core) result.core.push_back(static_cast<std::int64_t>(i));
    }
    return result;
  }
};

DBSCANMetric metric_named(const std::string& name) {
  static const std::map<std::string, DBSCANMetric> metrics{{"euclidean", DBSCANMetric::euclidean},
                                                           {"manhattan", DBSCANMetric::manhattan},
                                                           {"chebyshev", DBSCANMetric::chebyshev},
                                                           {"cosine", DBSCANMetric::cosine},
                                                           {"haversine", DBSCANMetric::haversine}};
  return metrics.at(name);
}

std::vector<int> read_line(std::istream& file, const std::string& name, std::int64_t count) {
  std::string text;
  std::getline(file, text);
  std::istringstream line(text);
  std::string found;
  line >> found;
  std::vector<int> values;
  for (int value; line >> value;) values.push_back(value);
  if (found != name || static_cast<std::int64_t>(values.size()) != count)
    throw std::runtime_error("scikit_learn.txt: expected " + std::to_string(count) + " values of " + name);
  return values;
}

Recorded read_case(std::istream& file, const std::string& header) {
  std::istringstream words(header);
  std::string word;
  std::string metric;
  bool weighted = false;
  Recorded result;
  words >> word >> result.name >> result.n >> result.d >> result.bits >> metric >> result.options.min_samples >>
      result.options.eps >> weighted;
  if (!words || word != "case") throw std::runtime_error("scikit_learn.txt: no case: " + header);
  result.options.metric = metric_named(metric);
  result.X = read_line(file, "X", result.n * result.d);
  if (weighted) result.weights = read_line(file, "weights", result.n);
  result.codes = read_line(file, "codes", result.n);
  return result;
}

std::vector<Recorded> recorded_cases() {
  std::ifstream file(test_data("data/dbscan/scikit_learn.txt"));
  std::string line;
  std::getline(file, line);  // the version
  std::vector<Recorded> cases;
  while (std::getline(file, line)) cases.push_back(read_case(file, line));
  return cases;
}

template <typename I>
class DBSCANSklearn : public DBSCANTest<I> {};
TYPED_TEST_SUITE(DBSCANSklearn, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANSklearn, TheSameLabels) {
  using T = typename TypeParam::Value;
  const std::vector<Recorded> cases = recorded_cases();
  ASSERT_EQ(cases.size(), 32U);
  for (const Recorded& recorded : cases) {
    SCOPED_TRACE(recorded.name);
    const Given<T> given = recorded.given<T>();
    const DBSCAN<T> model = this->checked_fit(given);
    const Clustering expected = recorded.clustering();
    EXPECT_EQ(model.labels().to_std(), expected.labels);
    EXPECT_EQ(model.core_sample_indices().to_std(), expected.core);
    EXPECT_EQ(model.n_clusters(), expected.n_clusters);
  }
}

TEST(DBSCANSklearnTwin, TheSameLabels) {
  for (const Recorded& recorded : recorded_cases()) {
    SCOPED_TRACE(recorded.name);
    const reference::Result found = twin(recorded.given<double>());
    const Clustering expected = recorded.clustering();
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.core, expected.core);
    EXPECT_EQ(found.n_clusters, expected.n_clusters);
  }
}

}  // namespace
}  // namespace tilelearn::testing
