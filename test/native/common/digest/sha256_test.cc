#include "common/digest/sha256.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <unordered_set>

#include "common/digest/sha256_kernels.h"
#include "common/file/file_system.h"
#include "harness.h"

using namespace seriesdb;
using sha256_kernels::Kernel;

namespace {

using Random = std::mt19937_64;

// All kernels that this machine can run.
std::vector<const Kernel*> allKernels() {
  std::vector<const Kernel*> all = {&sha256_kernels::scalar()};
  if (const Kernel* x86 = sha256_kernels::shaNi()) all.push_back(x86);
  if (const Kernel* arm = sha256_kernels::armv8()) all.push_back(arm);
  return all;
}

ByteBuffer randomBytes(Random& random, std::size_t size) {
  ByteBuffer bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::string textOf(const Kernel& kernel, Bytes bytes) {
  Sha256Hasher hasher(kernel);
  hasher.update(bytes);
  return hasher.hash().text();
}

struct Example {
  ByteBuffer message;
  const char* hash;
};

ByteBuffer message(std::string_view text) {
  const Bytes bytes = asBytes(text);
  return {bytes.begin(), bytes.end()};
}

std::vector<Example> examples() {
  return {
      {{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {message("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {message("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {message("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
               "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {ByteBuffer(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
      {{0xbd}, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"},
      {{0xc9, 0x8c, 0x8e, 0x55},
       "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"},
      {ByteBuffer(55), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
      {ByteBuffer(56), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
      {ByteBuffer(57), "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"},
      {ByteBuffer(64), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
      {ByteBuffer(1000), "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"},
      {ByteBuffer(1000, 'A'), "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"},
      {ByteBuffer(1005, 'U'), "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"},
      {ByteBuffer(1'000'000), "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"},
  };
}

// The output of a command; empty if it fails.
std::string outputOf(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string output;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof(piece), pipe)) {
    output.append(piece, got);
  }
  return ::pclose(pipe) == 0 ? output : std::string();
}

}  // namespace

TEST("sha256 gives the values of the examples that NIST publishes, by every kernel") {
  for (const Example& example : examples()) {
    EXPECT(sha256(example.message).text() == example.hash);
    for (const Kernel* kernel : allKernels()) {
      EXPECT(textOf(*kernel, example.message) == example.hash);
    }
  }
}

TEST("sha256 passes the Monte Carlo test of NIST's validation system, by every kernel") {
  const auto seed =
      Sha256::parse("6d1e72ad03ddeb5de891e572e2396f8da015d899ef0e79503152d6010a3fe691");
  REQUIRE(seed.has_value());
  for (const Kernel* kernel : allKernels()) {
    Sha256 last = *seed;
    for (int checkpoint = 0; checkpoint < 100; ++checkpoint) {
      std::array<Sha256, 3> recent = {last, last, last};
      for (int i = 0; i < 1000; ++i) {
        Sha256Hasher hasher(*kernel);
        for (const Sha256& one : recent) hasher.update(one.bytes);
        recent = {recent[1], recent[2], hasher.hash()};
      }
      last = recent[2];
    }
    EXPECT(last.text() == "6a912ba4188391a78e6f13d88ed2d14e13afce9db6f7dcbf4a48c24f3db02778");
  }
}

TEST("sha256 counts more than 2^32 bits") {
  // The example of 0x20000000 bytes in NIST's additional test vectors.
  const ByteBuffer piece(std::size_t{1} << 20, 'Z');
  Sha256Hasher hasher;
  for (int i = 0; i < 512; ++i) hasher.update(piece);
  EXPECT(hasher.hash().text() ==
         "15a1868c12cc53951e182344277447cd0979536badcc512ad24c67e9b2d4f3dd");
}

TEST("vector kernels and the scalar kernel produce the same state from any state and alignment") {
  Random random(test::seed());
  for (const Kernel* kernel : allKernels()) {
    for (int round = 0; round < 2000; ++round) {
      const std::size_t count = random() % 9;
      const std::size_t offset = random() % 17;
      // A block of the exact size, so that the address sanitizer sees a read past the end.
      const std::size_t size = offset + count * sha256_kernels::kBlockSize;
      const auto bytes = std::make_unique<std::uint8_t[]>(size);
      for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(random());
      sha256_kernels::State expected;
      for (auto& word : expected) word = static_cast<std::uint32_t>(random());
      sha256_kernels::State actual = expected;
      sha256_kernels::scalar().compress(expected, bytes.get() + offset, count);
      kernel->compress(actual, bytes.get() + offset, count);
      EXPECT(actual == expected);
    }
  }
}

TEST("the fastest kernel is a vector kernel where the processor supports one") {
  EXPECT(&sha256_kernels::fastest() == allKernels().back());
}

TEST("bytes hashed in two pieces have the hash of the whole, for every split") {
  Random random(test::seed());
  for (std::size_t size = 0; size <= 200; ++size) {
    const ByteBuffer bytes = randomBytes(random, size);
    const Sha256 whole = sha256(bytes);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      Sha256Hasher hasher;
      hasher.update(Bytes(bytes).first(cut));
      hasher.update(Bytes(bytes).subspan(cut));
      EXPECT(hasher.hash() == whole);
    }
  }
}

TEST("bytes in many pieces have the hash of the whole, by every kernel") {
  Random random(test::seed());
  for (const Kernel* kernel : allKernels()) {
    for (int round = 0; round < 200; ++round) {
      const ByteBuffer bytes = randomBytes(random, random() % 20000);
      const std::size_t pieceMax = std::size_t{1} << (random() % 12);
      Sha256Hasher hasher(*kernel);
      for (Bytes rest = bytes; !rest.empty();) {
        const std::size_t piece = std::min(rest.size(), std::size_t{random() % (pieceMax + 1)});
        hasher.update(rest.first(piece));
        rest = rest.subspan(piece);
      }
      EXPECT(hasher.hash() == sha256(bytes));
    }
  }
}

TEST("a hash read between updates equals that of the bytes so far and changes nothing") {
  Random random(test::seed());
  const ByteBuffer bytes = randomBytes(random, 300);
  Sha256Hasher hasher;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT(hasher.hash() == sha256(Bytes(bytes).first(size)));
    hasher.update(Bytes(bytes).subspan(size, 1));
  }
  EXPECT(hasher.hash() == sha256(bytes));
}

TEST("sha256 and the command sha256sum agree on files of 0 to 200 bytes and of several MiB") {
  Random random(test::seed());
  const std::string directory = test::temporaryDirectory();
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 200; ++size) sizes.push_back(size);
  for (std::size_t mib = 1; mib <= 4; ++mib) sizes.push_back((mib << 20) + random() % (1u << 20));
  std::string expected;
  for (const std::size_t size : sizes) {
    const ByteBuffer bytes = randomBytes(random, size);
    std::string name = std::to_string(size);
    name.insert(0, 8 - name.size(), '0');
    auto file = posixFileSystem().create(directory + "/" + name);
    REQUIRE(file.ok() && file.value()->append(bytes).ok());
    expected += sha256(bytes).text() + "  " + name + "\n";
  }
  EXPECT(outputOf("cd '" + directory + "' && sha256sum *") == expected);
}

TEST("a hash is parsed from its text, and texts order as the hashes do") {
  Random random(test::seed());
  Sha256 before;
  for (int round = 0; round < 1000; ++round) {
    Sha256 hash;
    for (auto& byte : hash.bytes) byte = static_cast<std::uint8_t>(random());
    // Some hashes share a long prefix.
    if (round % 2 == 0) std::copy_n(before.bytes.begin(), random() % 33, hash.bytes.begin());
    EXPECT(hash.text().size() == 64);
    EXPECT(Sha256::parse(hash.text()) == hash);
    EXPECT((hash <=> before) == (hash.text() <=> before.text()));
    EXPECT((hash == before) == (hash.text() == before.text()));
    before = hash;
  }
  EXPECT(Sha256{}.text() == std::string(64, '0'));
}

TEST("a hash text with capitals, other characters or another length is refused") {
  const std::string text = sha256(asBytes("abc")).text();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int character = 0; character < 256; ++character) {
      std::string changed = text;
      changed[at] = static_cast<char>(character);
      const bool isDigit = character != 0 && std::strchr("0123456789abcdef", character) != nullptr;
      const auto parsed = Sha256::parse(changed);
      EXPECT(parsed.has_value() == isDigit);
      EXPECT(!parsed.has_value() || parsed->text() == changed);
    }
    EXPECT(!Sha256::parse(text.substr(0, at)).has_value());
  }
  EXPECT(!Sha256::parse(text + "0").has_value());
  EXPECT(!Sha256::parse("0x" + text).has_value());
}

TEST("hashes work as keys of a hash table") {
  std::unordered_set<Sha256> table;
  for (int i = 0; i < 1000; ++i) table.insert(sha256(asBytes(std::to_string(i))));
  EXPECT(table.size() == 1000);
  for (int i = 0; i < 1000; ++i) EXPECT(table.contains(sha256(asBytes(std::to_string(i)))));
  EXPECT(!table.contains(sha256(asBytes("1000"))));
}
