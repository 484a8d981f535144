// The arithmetic of quantized weights: x in shared memory as 16-bit fixed point, for integer dot products with quants. Each 32
// consecutive elements share a scale s = max|x| / 32639, so that x = s (256 high + low) with signed bytes high and low, to
// within half of s: 2^-16 of the largest of the 32. A dot product of 32 products of bytes is exact in 32 bits. Beside the
// scale lies the sum of the (rounded) elements, for formats whose weights have an offset.
//
// Elements lie in the order in which lanes read them: 16 bytes at a time, neighbouring lanes neighbouring words.
//
// The including file is matvec_dot.comp; the format in dots/ declares GROUP, PIECES, SUBS and place().
#ifndef FIXED_POINT_GLSL
#define FIXED_POINT_GLSL

#extension GL_EXT_spirv_intrinsics : require

// OpSDot of SPV_KHR_integer_dot_product: both operands are four signed bytes packed into a word. The capabilities are
// DotProduct and DotProductInput4x8BitPacked; a last operand of 0 says that the operands are packed.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int signed_dot(uint a, uint b, spirv_literal uint packing);

int dot_bytes(uint a, uint b) { return signed_dot(a, b, 0u); }

const float FIXED_MAX = 32639.0; // 127 * 256 + 127
const uint INFINITY_BITS = 0x7f800000u;
const uint NAN_BITS = 0x7fc00000u;

shared uvec4 fixedHigh[TOKENS * SLICES * PIECES * TEAM];
shared uvec4 fixedLow[TOKENS * SLICES * PIECES * TEAM];
shared vec2 fixedScales[TOKENS * SLICES * SUBS * TEAM]; // scale, and sum of the elements

// Piece `k` (16 elements) of the group of lane `lane` in a slice, and the scale of its sub-block `sub`.
uint piece_index(uint t, uint slice, uint k, uint lane) { return ((t * SLICES + slice) * PIECES + k) * TEAM + lane; }
uint scale_index(uint t, uint slice, uint sub, uint lane) { return ((t * SLICES + slice) * SUBS + sub) * TEAM + lane; }

// A single token's x for the group of this lane, in registers.
uvec4 ownHigh[PIECES];
uvec4 ownLow[PIECES];
vec2 ownScales[SUBS];

void load_own(uint slice, uint lane) {
  if (TOKENS > 1) return;
  [[unroll]] for (uint k = 0; k < PIECES; k++) {
    ownHigh[k] = fixedHigh[piece_index(0, slice, k, lane)];
    ownLow[k] = fixedLow[piece_index(0, slice, k, lane)];
  }
  [[unroll]] for (uint sub = 0; sub < SUBS; sub++) ownScales[sub] = fixedScales[scale_index(0, slice, sub, lane)];
}

// Stores eight elements of x as half piece `halfPiece` of the part. Four neighbouring lanes work together on 32 elements.
void store_x(uint t, uint halfPiece, vec4 x[2]) {
  uint most = 0;
  [[unroll]] for (uint i = 0; i < 2; i++) {
    const uvec4 sizes = floatBitsToUint(abs(x[i])); // as integers, what is not finite is largest
    most = max(most, max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)));
  }
  most = max(most, subgroupShuffleXor(most, 1));
  most = max(most, subgroupShuffleXor(most, 2));
  const float largest = uintBitsToFloat(most);
  const float scale = most < INFINITY_BITS ? largest * (1.0 / FIXED_MAX) : uintBitsToFloat(NAN_BITS);
  const float inverse = largest > 1e-30 ? FIXED_MAX / largest : 0.0;
  const uvec2 at = place(halfPiece >> 1); // group and piece
  const uint index = piece_index(t, at.x / TEAM, at.y, at.x % TEAM);
  int total = 0;
  [[unroll]] for (uint i = 0; i < 2; i++) {
    // Adding 1.5 * 2^23 rounds to an integer and leaves it, in two's complement, in the lowest bits. 128 more make byte 1
    // the rounded high byte, and byte 0 the low byte with its sign bit flipped.
    const uvec4 bits = floatBitsToUint(fma(x[i], vec4(inverse), vec4(12582912.0 + 128.0)));
    const uint high = bits.x >> 8 & 0xffu | bits.y & 0xff00u | (bits.z & 0xff00u) << 8 | (bits.w & 0xff00u) << 16;
    const uint low = (bits.x & 0xffu | (bits.y & 0xffu) << 8 | (bits.z & 0xffu) << 16 | bits.w << 24) ^ 0x80808080u;
    total += 256 * dot_bytes(high, 0x01010101u) + dot_bytes(low, 0x01010101u);
    fixedHigh[index][2 * (halfPiece & 1) + i] = high;
    fixedLow[index][2 * (halfPiece & 1) + i] = low;
  }
  // Over the elements that share a scale of the weights: a piece or two.
  total += subgroupShuffleXor(total, 1);
  if (PIECES > SUBS) total += subgroupShuffleXor(total, 2);
  if (halfPiece % (2 * PIECES / SUBS) == 0) {
    const uint sub = at.y / (PIECES / SUBS);
    fixedScales[scale_index(t, at.x / TEAM, sub, at.x % TEAM)] = vec2(scale, scale * float(total));
  }
}

// Adds the products with the quants of streams `first` ... to the sums.
void multiply(uint q[TOGETHER][WORDS], vec2 terms[TOGETHER][SUBS], uint first, inout float sums[VALUES]) {
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    [[unroll]] for (uint sub = 0; sub < SUBS; sub++) {
      int high[TOGETHER];
      int low[TOGETHER];
      [[unroll]] for (uint s = 0; s < TOGETHER; s++) high[s] = low[s] = 0;
      [[unroll]] for (uint i = 0; i < PIECES / SUBS; i++) {
        const uint k = sub * (PIECES / SUBS) + i;
        const uvec4 xHigh = TOKENS == 1 ? ownHigh[k] : fixedHigh[piece_index(t, slice(), k, team_lane())];
        const uvec4 xLow = TOKENS == 1 ? ownLow[k] : fixedLow[piece_index(t, slice(), k, team_lane())];
        [[unroll]] for (uint s = 0; s < TOGETHER; s++) {
          [[unroll]] for (uint word = 0; word < 4; word++) {
            high[s] += dot_bytes(q[s][4 * k + word], xHigh[word]);
            low[s] += dot_bytes(q[s][4 * k + word], xLow[word]);
          }
        }
      }
      const vec2 scaleAndSum = TOKENS == 1 ? ownScales[sub] : fixedScales[scale_index(t, slice(), sub, team_lane())];
      [[unroll]] for (uint s = 0; s < TOGETHER; s++) {
        const uint value = t * STREAMS + first + s;
        sums[value] += terms[s][sub].x * (scaleAndSum.x * float(256 * high[s] + low[s]));
        if (HAS_OFFSET) sums[value] += terms[s][sub].y * scaleAndSum.y;
      }
    }
  }
}

#endif
