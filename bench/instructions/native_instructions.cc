// Runs one of the hottest paths repeatedly, for a tool that counts instructions (run.ts).
// usage: native_instructions               a JSON line for the compiler, and one for each path
//        native_instructions PATH ROUNDS   more ROUNDS add only instructions of the path
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "paths.h"

namespace {

using namespace seriesdb;
using namespace seriesdb::bench;

struct Path {
  const char* name;
  const char* unit;
  std::size_t unitsPerRound;
  std::size_t rounds;
  Round (*make)();
};

constexpr Path kPaths[] = {
    {"line of a known frame", "line", kLines, 100, makeKnownLines},
    {"line of a new series", "line", kLines, 20, makeNewLines},
    {"encode a chunk, integer walk", "sample", kChunkSamples, 20, makeIntegerEncoding},
    {"encode a chunk, doubles", "sample", kChunkSamples, 20, makeDoubleEncoding},
    {"decode and fold a chunk, integer walk", "sample", kChunkSamples, 100, makeIntegerFolding},
    {"decode and fold a chunk, doubles", "sample", kChunkSamples, 20, makeDoubleFolding},
    {"query of one host, 1 h by minute", "query", 1, 400, makeSmallQueries},
    {"sample as JSON", "sample", kRows, 50, makeSampleTexts},
    {"row of a time and a value as JSON", "row", kRows, 50, makeRowTexts},
};

int list() {
  std::printf("{\"compiler\":\"%s\"}\n", __VERSION__);
  for (const Path& path : kPaths) {
    std::printf("{\"path\":\"%s\",\"unit\":\"%s\",\"unitsPerRound\":%zu,\"rounds\":%zu}\n",
                path.name, path.unit, path.unitsPerRound, path.rounds);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return list();
  if (argc != 3) return 2;
  for (const Path& path : kPaths) {
    if (std::strcmp(path.name, argv[1]) != 0) continue;
    const Round round = path.make();
    for (long left = std::atol(argv[2]); left > 0; --left) round();
    return 0;
  }
  return 2;
}
