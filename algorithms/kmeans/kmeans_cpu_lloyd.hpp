// One start of a fit on the CPU, and the labels that predict gives.
#pragma once

#include <cstdint>

#include "kmeans/kmeans_backend.hpp"
#include "kmeans/kmeans_cpu_data.hpp"
#include "kmeans/kmeans_cpu_statistics.hpp"

namespace tilelearn::kmeans::cpu {

template <typename T>
Rows<T> all_rows(const MatrixView<const T>& X) {
  return {X.data(), X.rows(), X.columns(), nullptr, 1.0, X.device().threads()};
}

/// Labels of all rows as predict gives them: the scale is that of all rows and these centres.
template <typename T>
void predict_rows(const MatrixView<const T>& X, double largest_row, const MatrixView<const T>& centers,
                  const Workspace& outer, std::int32_t* labels);

/// What all starts of a fit share.
template <typename T>
struct Fit {
  const FitProblem<T>& problem;
  Rows<T> rows;
  Weights weights;
  double largest_row;  ///< of all rows
  double largest;      ///< of the rows of positive weight and the given centres
  double tolerance;    ///< of the sum of squared centre shifts, in units of 1 / s^2
};

/// Start number `number`: first centres, Lloyd's iterations, labels and inertia.
template <typename T>
Model<T> run_start(const Fit<T>& fit, const ColumnStatistics& columns, std::int32_t number, const Workspace& outer);

}  // namespace tilelearn::kmeans::cpu
