// Pipelines: everything between a table and a prediction, in one file. What the command line saves and C++ applies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/dbscan.hpp>
#include <tilelearn/export.hpp>
#include <tilelearn/kmeans.hpp>
#include <tilelearn/linear_regression.hpp>
#include <tilelearn/matrix.hpp>
#include <tilelearn/ridge.hpp>
#include <tilelearn/standard_scaler.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn {

namespace detail {
struct PipelineSteps;
}

/// What becomes of a row that misses a value in one of the columns used.
enum class MissingPolicy : std::uint8_t {
  error,  ///< it is an error
  drop,   ///< the row is left out
  mean,   ///< the column's mean at the fit takes the place of the value (of a category: the shares of all categories)
};

/// A column of the table that features are made of.
struct EncodedColumn {
  std::string name{};
  ColumnKind kind = ColumnKind::number;
  /// Sorted; empty for a column of numbers.
  std::vector<std::string> categories{};
};

/// Features of a table.
template <typename T>
struct Features {
  /// One row for each of `rows`, one column for each of feature_names(), in CPU memory; finite.
  Matrix<T> X{};
  /// The table's row that each row of X comes from, ascending.
  std::vector<std::int64_t> rows{};
};

/// What a TableEncoder's fit may be given beyond the table.
struct TableEncoderOptions {
  /// In the order of the features; empty for all columns of numbers in the table's order.
  std::vector<std::string> columns{};
  MissingPolicy missing = MissingPolicy::error;
  /// One for each row of the table, for the means of MissingPolicy::mean. Finite, 0 or more.
  std::optional<VectorView<const double>> sample_weight{};
  /// The first category of a column gets no feature: it is the one whose features are all 0. With all of them and a
  /// constant, as a regression has one, columns would depend on each other.
  bool drop_first = false;
};

/// Turns any table with the columns of its fit into features: a column of numbers is one feature, a column of
/// categories is one feature of zeros and ones for each category (named "column=category"), the first one left out if
/// so asked. Columns are found by name; others are ignored. Copyable; const methods may be called from several threads
/// at once.
class TILELEARN_API TableEncoder {
 public:
  /// @throws InvalidArgument for a column that is missing or named twice, no column, no rows, no feature (columns
  ///   of one category, of which drop_first leaves nothing), or, under MissingPolicy::mean, a column without any value
  static TableEncoder fit(const Table& table, const TableEncoderOptions& options = {});

  [[nodiscard]] const std::vector<EncodedColumn>& columns() const noexcept { return columns_; }
  [[nodiscard]] MissingPolicy missing() const noexcept { return missing_; }
  /// Whether the first of columns()[j].categories has no feature; false without columns of categories.
  [[nodiscard]] bool drop_first() const noexcept { return drop_first_; }
  [[nodiscard]] std::vector<std::string> feature_names() const;
  /// One for each feature under MissingPolicy::mean, else none.
  [[nodiscard]] const std::vector<double>& means() const noexcept { return means_; }

  /// O(rows x features) time; memory is the features and, where rows are dropped or categories used, once more that.
  /// @throws InvalidArgument, with the line of the file, for a missing value under MissingPolicy::error, an infinite
  ///   value, a category that the fit did not see; also for a column that is missing or of the other kind
  template <typename T>
  [[nodiscard]] Features<T> encode(const Table& table) const;

  /// For the library's own use: as a part of a model file.
  void write(detail::ModelWriter& writer) const;
  static TableEncoder read(const detail::ModelReader& reader);

 private:
  /// Of a column.
  [[nodiscard]] std::int64_t feature_count(const EncodedColumn& column) const;

  std::vector<EncodedColumn> columns_;
  MissingPolicy missing_ = MissingPolicy::error;
  bool drop_first_ = false;
  std::vector<double> means_;
};

/// What Pipeline::predict says of a row that MissingPolicy::drop leaves out: neither a cluster nor noise.
inline constexpr std::int32_t left_out = -2;

/// The arithmetic of a pipeline's scaler and estimator.
enum class Precision : std::uint8_t { float32, float64 };

/// A fitted estimator with all that was done to the table before: columns, categories, missing values, scaling.
///
///   const tl::Pipeline pipeline = tl::Pipeline::load("m.tlm");
///   const tl::Vector<std::int32_t> clusters = pipeline.predict(tl::read_csv("new.csv"));
///
/// Clustering gives labels, which predict() returns; regression gives numbers, which predict_values() returns.
/// const methods may be called from several threads at once.
class TILELEARN_API Pipeline {
 public:
  /// Fitted parts; of a RidgeCV its release(). @throws NotFitted, ShapeMismatch where the numbers of features differ,
  ///   InvalidArgument for a model of several targets
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, KMeans<float> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, KMeans<double> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, DBSCAN<float> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, DBSCAN<double> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, LinearRegression<float> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, LinearRegression<double> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, Ridge<float> model);
  Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, Ridge<double> model);
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  /// Predictions for tables are made on `device`.
  /// @throws ParseError for a file that is not a whole and consistent pipeline
  static Pipeline load(const std::string& path, const Device& device = Device::cpu());
  /// @throws Error if the file cannot be written, InvalidArgument for column names that are not UTF-8
  void save(const std::string& path) const;

  /// What the estimator is: "kmeans", "dbscan", "linear_regression" or "ridge".
  [[nodiscard]] const std::string& kind() const noexcept;
  [[nodiscard]] Precision precision() const noexcept;
  [[nodiscard]] const TableEncoder& encoder() const noexcept;
  /// Whether predictions are numbers, for predict_values(); else they are labels, for predict().
  [[nodiscard]] bool predicts_values() const noexcept;

  /// The cluster of each row of the table (-1: noise), in CPU memory; left_out where MissingPolicy::drop drops it.
  /// @throws as TableEncoder::encode; InvalidArgument if predicts_values()
  [[nodiscard]] Vector<std::int32_t> predict(const Table& table) const;

  /// The same for features in the columns' own units, in the order of encoder().feature_names(); on X's device.
  /// @throws InvalidArgument if T is not that of precision(), or for NaN or infinity; ShapeMismatch
  [[nodiscard]] Vector<std::int32_t> predict(const MatrixView<const float>& X) const;
  [[nodiscard]] Vector<std::int32_t> predict(const MatrixView<const double>& X) const;

  /// The target's estimate for each row of the table, in CPU memory; NaN where MissingPolicy::drop drops it. A model of
  /// float32 gives float32 values.
  /// @throws as TableEncoder::encode; InvalidArgument unless predicts_values()
  [[nodiscard]] Vector<double> predict_values(const Table& table) const;

  /// The same for features in the columns' own units, in the order of encoder().feature_names(); on X's device.
  /// @throws as predict of a matrix; InvalidArgument unless predicts_values()
  [[nodiscard]] Vector<double> predict_values(const MatrixView<const float>& X) const;
  [[nodiscard]] Vector<double> predict_values(const MatrixView<const double>& X) const;

  /// The estimator, for example as<KMeans<float>>(); null if the pipeline holds another one.
  template <typename Estimator>
  [[nodiscard]] const Estimator* as() const noexcept;
  /// Null without scaling, or if T is not that of precision().
  template <typename T>
  [[nodiscard]] const StandardScaler<T>* scaler() const noexcept;

 private:
  explicit Pipeline(std::unique_ptr<detail::PipelineSteps> steps);

  std::unique_ptr<detail::PipelineSteps> steps_;
};

extern template TILELEARN_API Features<float> TableEncoder::encode<float>(const Table&) const;
extern template TILELEARN_API Features<double> TableEncoder::encode<double>(const Table&) const;
extern template TILELEARN_API const KMeans<float>* Pipeline::as<KMeans<float>>() const noexcept;
extern template TILELEARN_API const KMeans<double>* Pipeline::as<KMeans<double>>() const noexcept;
extern template TILELEARN_API const DBSCAN<float>* Pipeline::as<DBSCAN<float>>() const noexcept;
extern template TILELEARN_API const DBSCAN<double>* Pipeline::as<DBSCAN<double>>() const noexcept;
extern template TILELEARN_API const LinearRegression<float>* Pipeline::as<LinearRegression<float>>() const noexcept;
extern template TILELEARN_API const LinearRegression<double>* Pipeline::as<LinearRegression<double>>() const noexcept;
extern template TILELEARN_API const Ridge<float>* Pipeline::as<Ridge<float>>() const noexcept;
extern template TILELEARN_API const Ridge<double>* Pipeline::as<Ridge<double>>() const noexcept;
extern template TILELEARN_API const StandardScaler<float>* Pipeline::scaler<float>() const noexcept;
extern template TILELEARN_API const StandardScaler<double>* Pipeline::scaler<double>() const noexcept;

}  // namespace tilelearn
