#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "apps/plot/drawing.hpp"
#include "experiments/finding.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/version.hpp"

namespace stickslip::experiments {

namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --text: #1d1f22; --soft: #5c6370; --page: #fdfdfc; --card: #ffffff;
  --line: #d9dce1; --agrees: #1b7f4d; --corrected: #9a6700; --differs: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e6ea; --soft: #a2a9b4; --page: #16181b;
  --card: #1f2226; --line: #3a3f46; --agrees: #5ccf98; --corrected: #e5b454; --differs: #ff8a80; } }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: var(--page);
  color: var(--text); font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  margin: 1.5rem 0; padding: 1.2rem 1.4rem; }
.soft { color: var(--soft); } .agrees { color: var(--agrees); }
.corrected { color: var(--corrected); } .differs { color: var(--differs); }
.verdict { font-weight: 600; } dt { font-weight: 600; margin-top: .7rem; } dd { margin: 0; }
figure { margin: 1rem 0 0; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; margin: auto; border-radius: 6px; }
table { border-collapse: collapse; margin-top: .4rem; } td, th { padding: .15rem .9rem .15rem 0;
  text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.value { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
a { color: inherit; } nav td { padding-right: 1.2rem; }
)";

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string links(const Settings& settings, const Finding& finding) {
  std::string text;
  const auto add = [&](const std::filesystem::path& file) {
    if (!std::filesystem::exists(settings.out / file)) return;
    text += fmt::format("{}<a href=\"{}\">{}</a>", text.empty() ? "" : " · ", file.string(),
                        file.string());
  };
  for (const std::string& picture : finding.pictures) {
    add(picture);
    add(std::filesystem::path(picture).replace_extension(".png"));
  }
  for (const std::string& table : finding.tables) add(table);
  return text;
}

std::string numbers_table(const Finding& finding) {
  if (finding.numbers.empty()) return {};
  std::string text = "<dt>Numbers</dt><dd><table>\n";
  for (const Number& number : finding.numbers) {
    text += fmt::format("<tr><td>{}</td><td class=\"value\">{:.4g}</td><td>{}</td></tr>\n",
                        escaped(number.name), number.value, escaped(number.unit));
  }
  return text + "</table></dd>\n";
}

std::string section(const Settings& settings, const Result& result) {
  const Finding& finding = result.finding;
  const std::string_view verdict = to_string(finding.verdict);
  std::string text = fmt::format(
      "<section id=\"{}\">\n<h2>{}</h2>\n<dl>\n<dt>The paper</dt><dd>{}</dd>\n"
      "<dt>Here</dt><dd>{}</dd>\n<dt>Verdict</dt><dd><span class=\"verdict {}\">{}</span>: "
      "{}</dd>\n",
      result.experiment->name, escaped(result.experiment->title), escaped(finding.paper),
      escaped(finding.ours), verdict, verdict, escaped(finding.why));
  text += numbers_table(finding) + "</dl>\n";
  for (const std::string& picture : finding.pictures) {
    text += "<figure>" + contents(settings.out / picture) + "</figure>\n";
  }
  return text + fmt::format("<p class=\"soft\">{} · {:.1f} s</p>\n</section>\n",
                            links(settings, finding), result.seconds);
}

}  // namespace

void write_page(const Settings& settings, const std::vector<Result>& results) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>The paper's figures, reproduced</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>The paper's figures, reproduced</h1>\n"
      "<p>C. Duriez, F. Dubois, A. Kheddar and C. Andriot: Realistic Haptic Rendering of "
      "Interacting "
      "Deformable Objects in Virtual Environments, IEEE TVCG 12(1), 2006. Every number and picture "
      "on this page comes from one run of <code>stickslip reproduce{}</code> (stickslip {}).</p>\n"
      "<p class=\"soft\"><b>agrees</b>: as the paper says; <b>corrected</b>: so only under "
      "conditions that it does not tell, given here; <b>differs</b>: not so. Figures 1 and 2 "
      "are drawings without an experiment.</p>\n<nav><table>\n",
      style, settings.is_quick ? " --quick" : "", version);
  for (const Result& result : results) {
    const std::string_view verdict = to_string(result.finding.verdict);
    page +=
        fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td class=\"verdict {}\">{}</td></tr>\n",
                    result.experiment->name, escaped(result.experiment->title), verdict, verdict);
  }
  page += "</table></nav>\n";
  for (const Result& result : results) page += section(settings, result);
  page += "</body>\n</html>\n";
  write_file_atomically(settings.out / "index.html", page);
}

}  // namespace stickslip::experiments
