// "-" on the command line: standard input as FILE, standard output as a file to write.
#pragma once

#include <string>

namespace tilelearn::cli {

inline constexpr const char* standard_stream = "-";
inline constexpr const char* standard_input_path = "/dev/stdin";
inline constexpr const char* standard_output_path = "/dev/stdout";

/// All that standard input holds from where it stands, be it a pipe, a socket or a file. @throws tilelearn::ParseError
std::string read_standard_input();

/// What texts call FILE: its path, or "standard input".
std::string name_of_input(const std::string& file);

/// Whether writing to the path is writing to standard output, by whatever name. The null device is not, since there
/// nothing can be mixed up.
bool is_standard_output(const std::string& path);

}  // namespace tilelearn::cli
