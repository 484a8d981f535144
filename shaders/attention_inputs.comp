#version 460
// From the projections to what attention reads: queries and keys are normalised per head and rotated, keys and values go
// to the cache. One team of lanes per head; values are cut into pieces of the same length and only copied. What is to be
// stored in blocks passes through shared memory.
// Workgroup (i, r): teams i * TEAMS ... of row r, query heads first, then key heads, then pieces of the values.
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"
#include "include/trig.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 32;
layout(constant_id = 3) const bool ADJACENT = false; // pairs (2i, 2i + 1), otherwise (i, i + rotaryDim / 2)
layout(constant_id = 4) const bool NORM = false;
layout(constant_id = 5) const uint KEY_TYPE = 1; // see kv_cache.glsl
layout(constant_id = 6) const uint VALUE_TYPE = 1;
layout(constant_id = 7) const uint STAGED = 0; // elements of a head, where either type has blocks; otherwise 0
#include "include/kv_cache.glsl"
#include "include/teams.glsl"

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats q;
  Floats k;
  Floats v;
  Floats y; // queries
  uint64_t keys;
  uint64_t values;
  Floats queryNorm;
  Floats keyNorm;
  Floats frequencies;
  uint heads;
  uint kvHeads;
  uint headDim;
  uint valueWidth;
  uint rotaryOffset;
  uint rotaryDim;
  uint qStride;
  uint kStride;
  uint vStride;
  uint yStride;
  float epsilon;
  float magnitude;
} push;

const uint QUERY = 0;
const uint KEY = 1;
const uint VALUE = 2;

shared vec4 staged[STAGED == 0 ? 1 : TEAMS * STAGED / 4];

uint type_of(uint kind) { return kind == KEY ? KEY_TYPE : VALUE_TYPE; }
uint width_of(uint kind) { return kind == KEY ? push.kvHeads * push.headDim : push.valueWidth; }

uint64_t cache_row(uint kind) {
  const uint position = push.step.position + gl_WorkGroupID.y;
  return kv_row(kind == KEY ? push.keys : push.values, type_of(kind), width_of(kind), position);
}

// Element `i` of an item that starts at element `first` of its row.
void write(uint kind, uint first, uint i, float value) {
  if (kind == QUERY) {
    push.y.v[gl_WorkGroupID.y * push.yStride + first + i] = value;
  } else if (STAGED > 0 && type_of(kind) == KV_Q8_0) {
    const uint at = lane_index() / TEAM * STAGED + i;
    staged[at / 4][at % 4] = value;
  } else {
    store_kv(cache_row(kind), type_of(kind), first + i, value);
  }
}

// Stores the `count` staged elements of this lane's team. Each lane finds the peak of its block for itself.
void store_staged(uint kind, uint first, uint count, uint lane) {
  const uint start = lane_index() / TEAM * STAGED / 4;
  for (uint word = lane; word < count / 4; word += TEAM) {
    const uint block = start + word / 8 * 8;
    vec4 peaks = vec4(0.0);
    [[unroll]] for (uint k = 0; k < 8; k++) peaks = max(peaks, abs(staged[block + k]));
    const float peak = max(max(peaks.x, peaks.y), max(peaks.z, peaks.w));
    store_kv_q8_0(cache_row(kind), width_of(kind), first + 4 * word, staged[start + word], peak);
  }
}

void main() {
  const uint lane = lane_index() % TEAM;
  const uint team = gl_WorkGroupID.x * TEAMS + lane_index() / TEAM;
  const uint row = gl_WorkGroupID.y;
  const uint pieces = (push.valueWidth + push.headDim - 1) / push.headDim;
  const uint last = push.heads + push.kvHeads + pieces - 1;
  const uint item = min(team, last); // spare teams repeat the last item, so that all take part in the sums
  const uint kind = item < push.heads ? QUERY : item < push.heads + push.kvHeads ? KEY : VALUE;
  const uint first = (kind == QUERY ? item : kind == KEY ? item - push.heads : item - push.heads - push.kvHeads) * push.headDim;
  const uint count = kind == VALUE ? min(push.headDim, push.valueWidth - first) : push.headDim;
  Floats x = kind == QUERY ? push.q : kind == KEY ? push.k : push.v;
  const uint start = first + row * (kind == QUERY ? push.qStride : kind == KEY ? push.kStride : push.vStride);
  const bool normed = NORM && kind != VALUE;
  Floats weight = kind == QUERY ? push.queryNorm : push.keyNorm;

  float factor = 1.0;
  if (NORM) {
    float squares = 0.0;
    for (uint i = lane; i < count; i += TEAM) squares += x.v[start + i] * x.v[start + i];
    factor = inversesqrt(team_sum(squares) / float(push.headDim) + push.epsilon);
  }
  if (row >= push.step.tokenCount) return;
  if (STAGED == 0 && team > last) return; // otherwise they are needed at the barrier

  const uint rotated = kind == VALUE ? 0 : push.rotaryDim;
  for (uint pair = lane; pair < rotated / 2; pair += TEAM) {
    const uint i = push.rotaryOffset + (ADJACENT ? 2 * pair : pair);
    const uint j = i + (ADJACENT ? 1 : rotated / 2);
    const vec2 rotation = cos_sin(float(push.step.position + row) * push.frequencies.v[pair]) * push.magnitude;
    float a = x.v[start + i];
    float b = x.v[start + j];
    if (normed) {
      a *= factor * weight.v[i];
      b *= factor * weight.v[j];
    }
    write(kind, first, i, a * rotation.x - b * rotation.y);
    write(kind, first, j, a * rotation.y + b * rotation.x);
  }
  for (uint rest = lane; rest < count - rotated; rest += TEAM) {
    const uint i = rest < push.rotaryOffset ? rest : rest + rotated;
    float value = x.v[start + i];
    if (normed) value *= factor * weight.v[i];
    write(kind, first, i, value);
  }
  if (STAGED == 0) return;
  barrier();
  if (kind != QUERY && type_of(kind) == KV_Q8_0) store_staged(kind, first, count, lane);
}
