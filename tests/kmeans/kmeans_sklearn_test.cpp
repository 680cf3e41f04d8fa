// Fits from given centres against recorded results of scikit-learn (record_sklearn.py).
#include <fstream>
#include <sstream>

#include "kmeans/kmeans_test.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

struct Recorded {
  std::string name;
  Given<double> given;
  Matrix<double> centers;
  std::vector<std::int32_t> labels;
  double inertia = 0.0;
  std::int32_t n_iter = 0;
};

template <typename Value>
std::vector<Value> read_line(std::istream& file, const std::string& name, std::int64_t count) {
  std::string text;
  std::getline(file, text);
  std::istringstream line(text);
  std::string found;
  line >> found;
  std::vector<Value> values;
  for (Value value; line >> value;) values.push_back(value);
  if (found != name || static_cast<std::int64_t>(values.size()) != count)
    throw std::runtime_error("kmeans_sklearn.txt: expected " + std::to_string(count) + " values of " + name);
  return values;
}

Matrix<double> read_matrix(std::istream& file, const std::string& name, std::int64_t rows, std::int64_t columns) {
  const std::vector<double> values = read_line<double>(file, name, rows * columns);
  Matrix<double> result(rows, columns);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

Recorded read_case(std::istream& file, const std::string& header) {
  std::istringstream words(header);
  std::string word;
  Recorded result;
  std::int64_t n = 0;
  std::int64_t d = 0;
  bool weighted = false;
  KMeansOptions& options = result.given.options;
  words >> word >> result.name >> n >> d >> options.n_clusters >> options.max_iter >> options.tol >> weighted;
  result.given.X = read_matrix(file, "X", n, d);
  result.given.init = read_matrix(file, "init", options.n_clusters, d);
  if (weighted) result.given.weights = Vector<double>(read_line<double>(file, "weights", n));
  result.centers = read_matrix(file, "centers", options.n_clusters, d);
  result.labels = read_line<std::int32_t>(file, "labels", n);
  result.inertia = read_line<double>(file, "inertia", 1).front();
  result.n_iter = read_line<std::int32_t>(file, "n_iter", 1).front();
  return result;
}

std::vector<Recorded> read_cases() {
  std::ifstream file(test_data("data/kmeans_sklearn.txt"));
  std::vector<Recorded> result;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("case", 0) == 0) result.push_back(read_case(file, line));
  return result;
}

template <typename T>
Matrix<T> cast(const Matrix<double>& values) {
  Matrix<T> result(values.rows(), values.columns());
  std::transform(values.data(), values.data() + values.rows() * values.columns(), result.data(),
                 [](double value) { return static_cast<T>(value); });
  return result;
}

template <typename T>
Given<T> cast(const Given<double>& given) {
  Given<T> result{cast<T>(given.X), given.options, {}, cast<T>(*given.init)};
  if (given.weights.has_value()) {
    result.weights = Vector<T>(given.weights->size());
    for (std::int64_t i = 0; i < given.weights->size(); ++i)
      result.weights->data()[i] = static_cast<T>(given.weights->data()[i]);
  }
  return result;
}

template <typename I>
class KMeansRecorded : public KMeansTest<I> {};
TYPED_TEST_SUITE(KMeansRecorded, DeviceTypes, DeviceTypeNames);

TYPED_TEST(KMeansRecorded, GivesScikitLearnsResults) {
  using T = typename TypeParam::Value;
  const std::vector<Recorded> cases = read_cases();
  ASSERT_EQ(cases.size(), 7U);
  for (const Recorded& recorded : cases) {
    SCOPED_TRACE(recorded.name);
    const KMeans<T> model = this->checked_fit(cast<T>(recorded.given));
    EXPECT_EQ(model.labels().to_std(), recorded.labels);
    EXPECT_EQ(model.n_iter(), recorded.n_iter);
    // Both round data, centres and sums: a few ulp of the largest value, squared distances relative to the spread.
    const reference::Rows<double> expected = to_rows(recorded.centers);
    const reference::Rows<double> centers = to_rows(model.cluster_centers().to(Device::cpu())).template cast<double>();
    const double ulp =
        static_cast<double>(std::numeric_limits<T>::epsilon()) * to_rows(recorded.given.X).cwiseAbs().maxCoeff();
    EXPECT_LE((centers - expected).cwiseAbs().maxCoeff(), 4.0 * ulp);
    const double n = static_cast<double>(recorded.labels.size());
    EXPECT_NEAR(model.inertia(), recorded.inertia,
                4.0 * ulp * std::sqrt(n * recorded.inertia) + 1e-13 * recorded.inertia);
  }
}

}  // namespace
}  // namespace tilelearn::testing
