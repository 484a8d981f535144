// x in shared memory as 16-bit fixed point, for integer dot products with quants. Each 32 consecutive elements share a
// scale s = max|x| / 32639, so that x = s (256 high + low) with signed bytes high and low, to within half of s:
// 2^-16 of the largest of the 32. A dot product of 32 products of bytes is exact in 32 bits. Beside the scale lies the sum
// of the (rounded) elements, for formats whose weights have an offset.
//
// Elements lie in the order in which lanes read them: 16 bytes at a time, neighbouring lanes neighbouring words. One part of
// x, SLICES * TEAM groups, is there at a time; what lies behind the end of x is 0.
//
// The including file declares the constants of matvec_dot.comp; the format in dots/ declares GROUP, PIECES, SUBS and place().
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
const uint HALF_PIECES = SLICES * TEAM * (GROUP / 8); // of a part; lanes prepare 8 elements at a time
const uint HALVES_PER_LANE = (HALF_PIECES + WORKGROUP - 1) / WORKGROUP;
const uint BATCH = HALVES_PER_LANE < 2 ? 1 : 2; // half pieces of a lane whose loads are in flight

shared uvec4 fixedHigh[TOKENS * SLICES * PIECES * TEAM];
shared uvec4 fixedLow[TOKENS * SLICES * PIECES * TEAM];
shared vec2 fixedScales[TOKENS * SLICES * SUBS * TEAM]; // scale, and sum of the elements
shared float squareSums[TOKENS * SUBGROUPS];

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

vec4 load_floats(Floats from, uint element) {
  return uintBitsToFloat(load_16_bytes(uint64_t(from) + uint64_t(element) * 4));
}

vec4 load_x(uint element) {
  if (ALIGNED) return load_floats(push.x, element);
  return vec4(push.x.v[element], push.x.v[element + 1], push.x.v[element + 2], push.x.v[element + 3]);
}

// Asks for a batch of a lane: half pieces `batch`, `batch + WORKGROUP` ... of part `part`.
void load_batch(uint part, uint batch, uint t, out vec4 x[BATCH][2], out vec4 weights[BATCH][2]) {
  const uint start = x_start(first_token() + t);
  [[unroll]] for (uint i = 0; i < BATCH; i++) {
    const uint column = (part * HALF_PIECES + batch + i * WORKGROUP) * 8;
    [[unroll]] for (uint k = 0; k < 2; k++) {
      x[i][k] = column < x_columns() ? load_x(start + column + 4 * k) : vec4(0.0);
      if (NORM) weights[i][k] = column < x_columns() ? load_floats(push.normWeight, column + 4 * k) : vec4(0.0);
    }
  }
}

// Brings eight elements to fixed point and stores them as half piece `halfPiece` of the part. Four neighbouring lanes work
// together on 32 elements.
void store_fixed(uint t, uint halfPiece, vec4 x[2]) {
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

// Brings part `part` of x to fixed point and adds its squares to this lane's shares. The first batch has been loaded.
// Barriers are the caller's.
void prepare_x(uint part, inout vec4 x[BATCH][2], inout vec4 weights[BATCH][2], inout float squares[TOKENS]) {
  [[dont_unroll]] for (uint batch = lane_index(); batch < HALF_PIECES; batch += BATCH * WORKGROUP) {
    [[unroll]] for (uint t = 0; t < TOKENS; t++) {
      [[unroll]] for (uint i = 0; i < BATCH; i++) {
        const uint halfPiece = batch + i * WORKGROUP;
        const uint column = (part * HALF_PIECES + halfPiece) * 8;
        const float factor = x_factor(first_token() + t, min(column, x_columns() - 1));
        [[unroll]] for (uint k = 0; k < 2; k++) {
          if (NORM) {
            squares[t] += dot(x[i][k], x[i][k]);
            x[i][k] *= weights[i][k];
          }
          x[i][k] *= factor;
        }
        if (halfPiece < HALF_PIECES) store_fixed(t, halfPiece, x[i]);
      }
      const bool last = t + 1 == TOKENS;
      if (HALVES_PER_LANE > BATCH || !last) {
        load_batch(part, last ? batch + BATCH * WORKGROUP : batch, last ? 0 : t + 1, x, weights);
      }
    }
  }
}

// Leaves the sums of squares of all lanes in shared memory.
void share_squares(float squares[TOKENS]) {
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    const float sum = subgroupAdd(squares[t]);
    if (subgroupElect()) squareSums[t * SUBGROUPS + gl_SubgroupID] = sum;
  }
}

// Of all elements of token `t`, after share_squares() and a barrier.
float sum_of_squares(uint t) {
  float sum = 0.0;
  for (uint i = 0; i < SUBGROUPS; i++) sum += squareSums[t * SUBGROUPS + i];
  return sum;
}

#endif
