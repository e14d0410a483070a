// Plays test/transcripts/compaction: the lines of a state, then the chosen plan. If SDB_REWRITE is
// set in the environment, the answers are written instead of compared.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "compaction_text.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

struct TranscriptCase {
  int line = 0;
  std::vector<std::string> comments;
  std::vector<std::string> commands;
  std::string expected;  // With a line end behind each line.
  bool isAnswered = false;
};

std::vector<TranscriptCase> readTranscript(const std::filesystem::path& file) {
  std::vector<TranscriptCase> cases;
  TranscriptCase one;
  std::ifstream in(file);
  int at = 0;
  const auto finish = [&] {
    if (one.isAnswered) cases.push_back(one);
    if (!one.isAnswered && !one.commands.empty()) {
      fail(file.c_str(), one.line, "commands without ----");
    }
    if (one.isAnswered || !one.commands.empty()) one = {};
  };
  for (std::string text; std::getline(in, text);) {
    ++at;
    if (text.empty()) {
      finish();
    } else if (one.isAnswered) {
      one.expected += text + "\n";
    } else if (text == "----") {
      one.isAnswered = true;
    } else if (one.commands.empty() && text[0] == '#') {
      one.comments.push_back(text);
    } else {
      if (one.commands.empty()) one.line = at;
      one.commands.push_back(text);
    }
  }
  finish();
  return cases;
}

void writeTranscript(const std::filesystem::path& file, const std::vector<TranscriptCase>& cases) {
  std::ofstream out(file, std::ios::trunc);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i > 0) out << "\n";
    for (const std::string& comment : cases[i].comments) out << comment << "\n";
    for (const std::string& command : cases[i].commands) out << command << "\n";
    out << "----\n" << cases[i].expected;
  }
}

int playFile(const std::filesystem::path& file) {
  std::vector<TranscriptCase> cases = readTranscript(file);
  CompactionModel model;
  for (TranscriptCase& one : cases) {
    // An empty state, where the comment says so.
    if (one.commands.front() == "anew") model = CompactionModel();
    std::string answer;
    for (const std::string& command : one.commands) {
      if (command != "anew") answer += play(model, command);
    }
    if (std::getenv("SDB_REWRITE") == nullptr && answer != one.expected) {
      fail(file.c_str(), one.line, "it says\n" + answer + "and should say\n" + one.expected);
    }
    one.expected = answer;
  }
  if (std::getenv("SDB_REWRITE") != nullptr) writeTranscript(file, cases);
  return static_cast<int>(cases.size());
}

}  // namespace

TEST("every compaction transcript matches the plans that are chosen") {
  int count = 0;
  const std::filesystem::path folder = SERIESDB_TRANSCRIPTS "/compaction";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".txt") count += playFile(file.path());
  }
  EXPECT(count >= 150);
}
