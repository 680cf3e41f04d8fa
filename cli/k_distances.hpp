// The distances within which rows have k rows, themselves included: what eps is chosen by.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tilelearn/dbscan.hpp>

namespace tilelearn::cli {

/// For each of `rows` (numbers of rows of X) the distance to its k-th nearest row of X, itself the first, ascending.
/// A distance beyond float64 is infinity; no other is lost to overflow of its squares.
/// X is n x d in CPU memory with values that DBSCAN takes; haversine in radians. k is from 1 to n. `progress` is told
/// how many rows are done, by the calling thread. O(n d) memory, and k values a thread.
template <typename T>
std::vector<double> k_distances(const Matrix<T>& X, DBSCANMetric metric, std::int64_t k,
                                const std::vector<std::int64_t>& rows, int threads,
                                const std::function<void(std::int64_t)>& progress);

}  // namespace tilelearn::cli
