// Formats of floats: a lane's group is 64 bytes.
#define FLOATING
#define SUBS 1 // no scales: what unpack() leaves there is not used

// The group of piece `piece` of a row, and which of the group's pieces it is.
uvec2 place(uint piece) { return uvec2(piece / (GROUP / 16), piece % (GROUP / 16)); }

struct Quants {
  uvec4 words[4];
};

Quants load_group(Weights w, uint group) {
  const uint64_t address = w.address + bytes_of(group, 64);
  return Quants(
    uvec4[](load_uvec4(address), load_uvec4(address + 16), load_uvec4(address + 32), load_uvec4(address + 48)));
}
