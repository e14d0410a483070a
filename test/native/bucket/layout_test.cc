#include "bucket/layout.h"

#include <random>
#include <string>

#include "harness.h"

using namespace seriesdb;

namespace {

constexpr DatabaseId kId = {0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f};
const BucketLayout kLayout(kId);

const Sha256 kHash = sha256(asBytes("abc"));
constexpr std::string_view kHashPath =
    "ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// The key of whichever kind of place it is.
std::string keyOf(const BucketPlace& place) {
  return std::visit([](const auto& one) { return kLayout.keyOf(one); }, place);
}

}  // namespace

TEST("the keys of a bucket are those of the format") {
  EXPECT(kLayout.keyOf(EntryPlace{1}) == "spine-0a1b2c3d/000000000001");
  EXPECT(kLayout.keyOf(EntryPlace{kChainNumberMax}) == "spine-0a1b2c3d/999999999999");
  EXPECT(kLayout.keyOf(GroupPlace{3, 1}) == "log-0a1b2c3d/00000003/000000000001");
  EXPECT(kLayout.keyOf(SegmentPlace{kHash}) == "objects/" + std::string(kHashPath));
  EXPECT(kLayout.keyOf(PartPlace{kHash}) == "parts/" + std::string(kHashPath));
  EXPECT(kLayout.spineFolder() == "spine-0a1b2c3d/" && kLayout.logsFolder() == "log-0a1b2c3d/");
  EXPECT(kLayout.logFolder(kEpochMax) == "log-0a1b2c3d/99999999/");
}

TEST("every place is found again by its key, and keys are in the order of places") {
  std::mt19937_64 random(test::seed());
  const auto upTo = [&random](std::uint64_t most) {
    return 1 + (random() >> random() % 60) % most;
  };
  for (std::size_t round = 0; round < test::rounds(20'000u); ++round) {
    const GroupPlace one{upTo(kEpochMax), upTo(kChainNumberMax)};
    const GroupPlace other{upTo(3), upTo(kChainNumberMax)};
    EXPECT((one < other) == (kLayout.keyOf(one) < kLayout.keyOf(other)));
    const EntryPlace entry{one.number};
    EXPECT((entry.number < other.number) ==
           (kLayout.keyOf(entry) < kLayout.keyOf(EntryPlace{other.number})));
    Sha256 hash;
    for (std::uint8_t& byte : hash.bytes) byte = static_cast<std::uint8_t>(random());
    for (const BucketPlace& place :
         {BucketPlace(one), BucketPlace(entry), BucketPlace(SegmentPlace{hash}),
          BucketPlace(PartPlace{hash})}) {
      const auto found = kLayout.placeOf(keyOf(place));
      EXPECT(found.has_value() && *found == place);
    }
  }
}

TEST("a key that differs from the form in any character is not ours") {
  const std::string segments = "objects/" + std::string(kHashPath);
  for (const std::string& key : {kLayout.keyOf(EntryPlace{12}), kLayout.keyOf(GroupPlace{3, 45}),
                                 segments, kLayout.keyOf(PartPlace{kHash})}) {
    REQUIRE(kLayout.placeOf(key).has_value());
    for (std::size_t at = 0; at < key.size(); ++at) {
      EXPECT(!kLayout.placeOf(key.substr(0, at)));
      EXPECT(!kLayout.placeOf(std::string(key).insert(at, 1, '0')));
      EXPECT(!kLayout.placeOf(std::string(key).erase(at, 1)));
      for (const char other : {'/', ' ', '+', '-', 'A', 'g', '\0', '\xff'}) {
        std::string changed = key;
        changed[at] = other;
        EXPECT(changed == key || !kLayout.placeOf(changed));
      }
    }
    EXPECT(!kLayout.placeOf(key + "0") && !kLayout.placeOf(key + "/"));
  }
}

TEST("keys of another database, number 0, and numbers past the padding are not ours") {
  const BucketLayout neighbour(DatabaseId{0x0a, 0x1b, 0x2c, 0x3e});
  EXPECT(!kLayout.placeOf(neighbour.keyOf(EntryPlace{1})));
  EXPECT(!kLayout.placeOf(neighbour.keyOf(GroupPlace{1, 1})));
  EXPECT(!kLayout.placeOf("spine-0a1b2c3d/000000000000"));
  EXPECT(!kLayout.placeOf("log-0a1b2c3d/00000000/000000000001"));
  EXPECT(!kLayout.placeOf("log-0a1b2c3d/00000001/000000000000"));
  EXPECT(!kLayout.placeOf(kLayout.keyOf(EntryPlace{kChainNumberMax + 1})));
  EXPECT(!kLayout.placeOf(kLayout.keyOf(GroupPlace{kEpochMax + 1, 1})));
  for (const char* key : {"", "ROOT", "nodes/a", "spine/000000000001", "objects/tmp/0000000001"}) {
    EXPECT(!kLayout.placeOf(key));
  }
}
