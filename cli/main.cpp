// The tilelearn command: exit status 0 done, 1 failed, 2 bad usage or bad input.
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>

#include <CLI/CLI.hpp>
#include <tilelearn/error.hpp>

#include "commands.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int bad_input = 2;
const char* const statuses =
    "Exit status: 0 done, 1 failed (no such device, out of memory, a file that cannot be written), 2 bad usage or "
    "input";

int complain(const std::string& text, int status) {
  std::cerr << "tilelearn: " << text << '\n';
  return status;
}

std::string unknown_command(const CLI::App& program, const std::string& name) {
  if (name.rfind('-', 0) == 0)
    return "'" + name + "' does not stand here: tilelearn COMMAND [OPTIONS] is the order, see tilelearn --help";
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const std::optional<std::string> nearest = nearest_name(name, commands);
  return "there is no command '" + name + "'" + (nearest ? "; did you mean '" + *nearest + "'?" : ".") +
         " The commands are: " + join(commands, ", ");
}

/// The same as CLI11 says it, and where to read on.
std::string with_help(const CLI::App& program, const CLI::ParseError& error) {
  std::string command = program.get_name();
  for (const CLI::App* chosen : program.get_subcommands()) command += " " + chosen->get_name();
  return std::string(error.what()) + "; see " + command + " --help";
}

/// What no flag or argument of the chosen command takes.
std::string unknown_arguments(const CLI::App& program, const CLI::ExtrasError& error) {
  const CLI::App* command = program.get_subcommands().empty() ? &program : program.get_subcommands().front();
  const std::vector<std::string> extras = command->remaining();
  const auto flag =
      std::find_if(extras.begin(), extras.end(), [](const std::string& e) { return e.rfind('-', 0) == 0; });
  if (flag == extras.end()) return with_help(program, error);
  std::vector<std::string> flags;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  const std::string asked = flag->substr(0, flag->find('='));
  const std::optional<std::string> nearest = nearest_name(asked, flags);
  return "there is no flag '" + asked + "'" + (nearest ? "; did you mean '" + *nearest + "'? See" : "; see") +
         " tilelearn " + command->get_name() + " --help";
}

/// Does what the command line says. @throws UsageError for one that makes no sense, and whatever a command throws
void follow(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    std::ostringstream text;  // of --help or --version
    program.exit(wish, text, text);
    print(text.str());
  } catch (const CLI::RequiredError& error) {
    const bool is_unknown = program.get_subcommands().empty() && argc > 1;
    throw UsageError(is_unknown ? unknown_command(program, argv[1]) : with_help(program, error));
  } catch (const CLI::ExtrasError& error) {
    throw UsageError(unknown_arguments(program, error));
  } catch (const CLI::ParseError& error) {
    throw UsageError(with_help(program, error));
  }
}

int run(int argc, char** argv) {
  CLI::App program("Clusters, linear regression, and more to come, on CPUs and CUDA GPUs", "tilelearn");
  program.set_version_flag("--version", std::string("tilelearn ") + TILELEARN_VERSION);
  program.require_subcommand(1);
  program.footer(statuses);  // of every subcommand too
  add_kmeans_command(program);
  add_dbscan_command(program);
  add_linear_regression_command(program);
  add_predict_command(program);
  add_devices_command(program);
  try {
    follow(program, argc, argv);
    return done;
  } catch (const UsageError& error) {
    return complain(error.what(), bad_input);
  } catch (const ParseError& error) {
    return complain(error.what(), bad_input);
  } catch (const InvalidArgument& error) {
    return complain(error.what(), bad_input);
  } catch (const ShapeMismatch& error) {
    return complain(error.what(), bad_input);
  } catch (const DeviceUnavailable& error) {
    return complain(std::string(error.what()) + "; use --device cpu, see also 'tilelearn devices'", failed);
  } catch (const OutOfMemory& error) {
    return complain(std::string(error.what()) + "; use fewer rows or columns, or raise --workspace-limit", failed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use fewer rows or columns", failed);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }
}

}  // namespace

void print(const std::string& text) {
  if (!(std::cout << text << std::flush)) throw Error("cannot write to standard output");
}

}  // namespace tilelearn::cli

int main(int argc, char** argv) { return tilelearn::cli::run(argc, argv); }
