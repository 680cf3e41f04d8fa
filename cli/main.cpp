// The tilelearn command: exit status 0 done, 1 failed, 2 bad usage or bad input.
#include <exception>
#include <iostream>
#include <new>

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

int run(int argc, char** argv) {
  CLI::App program("Clusters, and more to come, on CPUs and CUDA GPUs", "tilelearn");
  program.set_version_flag("--version", std::string("tilelearn ") + TILELEARN_VERSION);
  program.require_subcommand(1);
  add_kmeans_command(program);
  add_predict_command(program);
  add_devices_command(program);
  try {
    program.parse(argc, argv);
    return done;
  } catch (const CLI::RequiredError& error) {
    if (program.get_subcommands().empty() && argc > 1) return complain(unknown_command(program, argv[1]), bad_input);
    return program.exit(error) == 0 ? done : bad_input;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? done : bad_input;
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
