// The whole public interface, less the opt-in adapters (eigen.hpp).
#pragma once

#include <tilelearn/dbscan.hpp>
#include <tilelearn/device.hpp>
#include <tilelearn/error.hpp>
#include <tilelearn/kmeans.hpp>
#include <tilelearn/linear_regression.hpp>
#include <tilelearn/matrix.hpp>
#include <tilelearn/metrics.hpp>
#include <tilelearn/pipeline.hpp>
#include <tilelearn/regression_summary.hpp>
#include <tilelearn/ridge.hpp>
#include <tilelearn/standard_scaler.hpp>
#include <tilelearn/table.hpp>
