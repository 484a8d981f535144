// TQ1_0: 256 weights d (q - 1) as base-3 digits. Planes: qs 48 bytes, qh 4 bytes, d float16. Byte b is ceil(256 n / 243) for
// the number n of its digits; digit k is the integer part of 3 (b 3^k mod 256) / 256. In order, digit by digit: five digits
// of bytes 0-31, five of bytes 32-47, four of qh.
#include "../include/weights.glsl"
#define CHUNK 32

const uint POWERS_OF_3[5] = uint[](1, 3, 9, 27, 81);

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint block = chunk >> 3;
  const uint part = chunk & 7;
  const uint64_t qs = w.address + bytes_of(block, 48);
  const uint64_t planeQh = w.address + bytes_of(w.blocks, 48);
  const float d = load_f16(planeQh + aligned16(bytes_of(w.blocks, 4)) + bytes_of(block, 2));
  uvec4 first; // of weights 0 to 15
  uvec4 second; // of weights 16 to 31
  uint power; // of the digit of the first half
  uvec4 powers; // of the digits of each word of the second half
  if (part < 5) { // one digit of bytes 0-31
    first = load_uvec4(qs);
    second = load_uvec4(qs + 16);
    power = POWERS_OF_3[part];
    powers = uvec4(power);
  } else { // two digits of bytes 32-47, in the last chunk one of them and four of qh
    first = load_uvec4(qs + 32);
    second = part < 7 ? first : uvec4(load_uint(planeQh + bytes_of(block, 4)));
    power = POWERS_OF_3[2 * (part - 5)];
    powers = part < 7 ? uvec4(3 * power) : uvec4(1, 3, 9, 27);
  }
  [[unroll]] for (int i = 0; i < 4; i++) {
    [[unroll]] for (int k = 0; k < 4; k++) {
      const uint low = (bitfieldExtract(first[i], 8 * k, 8) * power & 255) * 3 >> 8;
      const uint high = (bitfieldExtract(second[i], 8 * k, 8) * powers[i] & 255) * 3 >> 8;
      v[4 * i + k] = fma(d, float(low), -d);
      v[16 + 4 * i + k] = fma(d, float(high), -d);
    }
  }
}

#include "../include/decode_one.glsl"
