// Compares clusters of penguins with their species: penguins PENGUINS.csv LABELS.csv
//
// LABELS.csv is what `tilelearn kmeans PENGUINS.csv --labels LABELS.csv` wrote: a row for each bird, empty for a bird
// that was left out.
#include <cstdint>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

namespace {

constexpr std::int32_t left_out = -1;

std::vector<std::int32_t> read_labels(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw tl::Error("cannot read " + path);
  std::string line;
  std::getline(file, line);  // the header
  std::vector<std::int32_t> labels;
  while (std::getline(file, line)) labels.push_back(line.empty() || line == "\"\"" ? left_out : std::stoi(line));
  return labels;
}

void compare(const std::string& penguins_path, const std::string& labels_path) {
  const tl::TableLabels species = tl::read_csv(penguins_path).labels("species");
  const std::vector<std::int32_t> labels = read_labels(labels_path);
  if (static_cast<std::int64_t>(labels.size()) != species.codes.size())
    throw tl::ShapeMismatch(labels_path + " has " + std::to_string(labels.size()) + " labels for " +
                            std::to_string(species.codes.size()) + " penguins");

  std::vector<std::int32_t> clusters;
  std::vector<std::int32_t> truth;
  std::map<std::int32_t, std::map<std::int32_t, int>> birds;  // by cluster, by species
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == left_out) continue;
    clusters.push_back(labels[i]);
    truth.push_back(species.codes[static_cast<std::int64_t>(i)]);
    ++birds[clusters.back()][truth.back()];
  }

  std::cout << "cluster";
  for (const std::string& name : species.classes) std::cout << std::setw(11) << name;
  for (auto& [cluster, counts] : birds) {
    std::cout << '\n' << std::setw(7) << cluster;
    for (std::int32_t code = 0; code < static_cast<std::int32_t>(species.classes.size()); ++code)
      std::cout << std::setw(11) << counts[code];
  }
  const double index = tl::adjusted_rand_index(tl::Vector<std::int32_t>(clusters), tl::Vector<std::int32_t>(truth));
  std::cout << "\nagreement with the species of " << clusters.size() << " penguins: adjusted Rand index "
            << std::setprecision(3) << index << " (1 is perfect, 0 is chance)\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: penguins PENGUINS.csv LABELS.csv\n";
    return 2;
  }
  try {
    compare(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
