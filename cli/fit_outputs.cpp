#include "fit_outputs.hpp"

#include "commands.hpp"
#include "core/atomic_file.hpp"

namespace tilelearn::cli {

void write_text(const std::string& path, const std::function<std::string()>& text_of, Console& console) {
  if (path.empty()) return;
  detail::write_file(path, text_of());
  console.note("wrote " + path);
}

void write_outputs(const FitFlags& flags, const FitOutcome& outcome, const FitTexts& texts, Console& console) {
  // Values that are too far apart to draw are an error, which leaves no file.
  std::vector<std::string> pictures;
  for (const Picture& picture : texts.pictures) pictures.push_back(picture.path.empty() ? "" : picture.svg());
  write_text(flags.output.labels, texts.labels, console);
  if (!flags.output.model.empty()) {
    outcome.pipeline->save(flags.output.model);
    console.note("wrote " + flags.output.model);
  }
  for (std::size_t i = 0; i < pictures.size(); ++i)
    write_text(
        texts.pictures[i].path, [&] { return pictures[i]; }, console);
  write_text(flags.output.json_file, texts.json, console);
  if (flags.output.json)
    print(texts.json());
  else if (!flags.quiet)
    print(texts.summary());
}

}  // namespace tilelearn::cli
