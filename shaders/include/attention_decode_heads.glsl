// From projections to heads in shared memory: norm and rotation of the queries and the new key of attention_decode.comp.
// LANES lanes share a head, as they share a position. A lane works on units of 8 elements: four pairs that turn, or
// eight elements that only follow them.

struct HeadUnit {
  vec4 x[2];
  vec4 weight[2];
  vec4 frequencies;
};
HeadUnit units[CHUNKS_PER_LANE];

uint unit_index(uint c) { return min(c * LANES + lane_in_position(), CHUNKS - 1); }
bool turns(uint unit) { return unit < ROTARY_DIM / 8; }

// First elements of both halves of a unit.
uvec2 unit_elements(uint unit) {
  if (!turns(unit)) {
    const uint rest = 8 * unit - ROTARY_DIM;
    const uint i = rest < ROTARY_OFFSET ? rest : rest + ROTARY_DIM;
    return uvec2(i, i + 4);
  }
  if (ADJACENT) return ROTARY_OFFSET + uvec2(8 * unit, 8 * unit + 4);
  return ROTARY_OFFSET + uvec2(4 * unit, 4 * unit + ROTARY_DIM / 2);
}

// The head of this lane where the subgroup works on heads from `from` on: ROWS is the new key. Spare lanes repeat the last one.
uint lane_head(uint from, uint heads) { return min(from + lane() / LANES, heads - 1); }

void load_head(uint from, uint heads) {
  if (from >= heads) return;
  const uint head = lane_head(from, heads);
  const bool isKey = head == ROWS;
  const uint start = isKey ? gl_WorkGroupID.y * HEAD_DIM : head_of(head) * QUERY_STRIDE;
  [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
    const uint unit = unit_index(c);
    const uvec2 at = unit_elements(unit);
    [[unroll]] for (uint h = 0; h < 2; h++) {
      units[c].x[h] = load_vector(isKey ? push.k : push.q, start + at[h]);
      if (NORM) units[c].weight[h] = load_vector(isKey ? push.keyNorm : push.queryNorm, at[h]);
    }
    if (ROTARY_DIM > 0) units[c].frequencies = load_vector(push.frequencies, 4 * min(unit, ROTARY_DIM / 8 - 1));
  }
}

void finish_head(uint from, uint heads, uint position) {
  if (from >= heads) return;
  const uint head = lane_head(from, heads);
  float factor = 1.0;
  if (NORM) {
    float squares = 0.0;
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      const float own = dot(units[c].x[0], units[c].x[0]) + dot(units[c].x[1], units[c].x[1]);
      if (c * LANES + lane_in_position() < CHUNKS) squares += own;
    }
    [[unroll]] for (uint b = 0; b < 7; b++) if (1u << b < LANES) squares += subgroupShuffleXor(squares, 1u << b);
    factor = inversesqrt(squares / float(HEAD_DIM) + push.epsilon);
  }
  float scale = 1.0;
  if (head < ROWS) {
    scale = push.scale;
    if (TEMPERATURE) scale *= temperature_at(position, TEMPERATURE_SCALE, TEMPERATURE_INTERVAL, TEMPERATURE_OFFSET);
  }
  [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
    const uint unit = unit_index(c);
    vec4 x[2] = units[c].x;
    if (NORM) [[unroll]] for (uint h = 0; h < 2; h++) x[h] *= factor * units[c].weight[h];
    if (turns(unit)) {
      vec4 a = ADJACENT ? vec4(x[0].xz, x[1].xz) : x[0];
      vec4 b = ADJACENT ? vec4(x[0].yw, x[1].yw) : x[1];
      vec4 cosines;
      vec4 sines;
      [[unroll]] for (uint k = 0; k < 4; k++) {
        const vec2 rotation = cos_sin(float(position) * units[c].frequencies[k]) * push.magnitude;
        cosines[k] = rotation.x;
        sines[k] = rotation.y;
      }
      const vec4 first = a * cosines - b * sines;
      const vec4 second = a * sines + b * cosines;
      x[0] = ADJACENT ? vec4(first.x, second.x, first.y, second.y) : first;
      x[1] = ADJACENT ? vec4(first.z, second.z, first.w, second.w) : second;
    }
    const uvec2 at = unit_elements(unit) / 4;
    sharedHeads[head * ROW_WORDS + at.x] = x[0] * scale;
    sharedHeads[head * ROW_WORDS + at.y] = x[1] * scale;
  }
}
