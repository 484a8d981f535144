#version 460
// Attention of one token, from the projections on: queries and the new key are normalised per head and rotated, the new
// key and value go to the cache, and the cache is attended over. Nothing here waits for memory longer than it has to:
// which keys and values a subgroup reads first follows from its number alone, so they are on their way before the
// position, the queries and the norms are there.
//
// Workgroup (i, h, p): rows (query heads) from i * ROWS on of key head h, over part p of the positions. The positions
// before the new one are cut into blocks that all subgroups of all parts take in turn. LANES lanes share a position,
// each has 8 elements (or some times 8) of its key and value, and SLOTS such positions of a lane are in flight at once.
// The products of a block, one per slot and row, are summed over the lanes while they are spread over them, so that
// what follows, up to the softmax, is done once per score. The new position is no part of a block: the last subgroup
// of part 0 starts with it where others start with nothing.
//
// At the end subgroup r joins what all subgroups have of row r, in the order of their numbers, so that the result is
// the same in every run. Where there are several parts, the last of them to come that far joins them all.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint HEAD_DIM = 128; // multiple of 8, of queries, keys and values
layout(constant_id = 3) const uint GROUP = 4; // query heads that share a key head
layout(constant_id = 4) const uint ROWS = 4; // power of two, at most LANES and the number of subgroups
layout(constant_id = 5) const uint LANES = 16; // power of two, at most SUBGROUP
layout(constant_id = 6) const uint SLOTS = 4; // power of two
layout(constant_id = 7) const uint KEY_WIDTH = 1024; // elements from one position's keys to the next one's
layout(constant_id = 8) const uint VALUE_WIDTH = 1024;
layout(constant_id = 9) const uint QUERY_STRIDE = 128; // elements from one head's query to the next one's
layout(constant_id = 10) const bool NORM = false;
layout(constant_id = 11) const bool ADJACENT = false; // pairs (2i, 2i + 1), otherwise (i, i + ROTARY_DIM / 2)
layout(constant_id = 12) const uint ROTARY_OFFSET = 0; // multiple of 8
layout(constant_id = 13) const uint ROTARY_DIM = 128; // multiple of 8
layout(constant_id = 14) const bool GATED = false; // the result is multiplied by sigmoid(gate)
layout(constant_id = 15) const uint WINDOW = 0; // the last positions that are seen; 0: all
layout(constant_id = 16) const uint CHUNK = 0; // only positions of the token's own chunk are seen; 0: all
layout(constant_id = 17) const float SOFTCAP = 0.0; // 0: none
layout(constant_id = 18) const bool TEMPERATURE = false;
layout(constant_id = 19) const float TEMPERATURE_SCALE = 0.0;
layout(constant_id = 20) const float TEMPERATURE_INTERVAL = 1.0;
layout(constant_id = 21) const float TEMPERATURE_OFFSET = 0.0;
layout(constant_id = 22) const uint KEY_TYPE = 1; // KV_F16 or KV_Q8_0
layout(constant_id = 23) const uint VALUE_TYPE = 1;
#include "include/activations.glsl"
#include "include/attention_finish.glsl"
#include "include/attention_temperature.glsl"
#include "include/kv_cache.glsl"
#include "include/step.glsl"
#include "include/tickets.glsl"
#include "include/trig.glsl"

// The step as nobody writes it here, so that the position can be loaded once for all lanes, beside other loads.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer ReadOnlyStep { uint position; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer SharedVectors { vec4 v[]; };

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats q;
  Floats k;
  Floats v;
  Floats y;
  SharedVectors parts; // [parts, heads, HEAD_DIM + 4]: weighted sum, peak, total
  Tickets tickets; // one per head, 0 before and after
  uint64_t keys;
  uint64_t values;
  Floats queryNorm;
  Floats keyNorm;
  Floats frequencies;
  Floats sinks;
  Floats gate; // heads lie as those of q
  float scale;
  float epsilon;
  float magnitude;
  uint cached; // positions that the cache holds at most
} push;

const float LOWEST = -3.0e38; // below every score, and finite, so that differences are never NaN
const uint SUBGROUPS = WORKGROUP / SUBGROUP;
const uint CHUNKS = HEAD_DIM / 8;
const uint CHUNKS_PER_LANE = (CHUNKS + LANES - 1) / LANES;
const uint ABREAST = SUBGROUP / LANES; // positions that a subgroup loads at once
const uint BLOCK = SLOTS * ABREAST; // its positions from one turn to the next
const uint SCORES = ROWS * SLOTS; // of the lanes that share a position
const uint SCORES_PER_LANE = SCORES > LANES ? SCORES / LANES : 1;
const uint LANES_PER_SCORE = SCORES > LANES ? 1 : LANES / SCORES;
const uint LANES_PER_ROW = LANES / ROWS;
const uint ROW_WORDS = HEAD_DIM / 4; // vec4
const uint WORDS_PER_LANE = (ROW_WORDS + SUBGROUP - 1) / SUBGROUP;
const uint PART_WORDS = ROW_WORDS + 1;
const uint PARTS_AT_ONCE = 8;
const bool SEES_ALL = WINDOW == 0 && CHUNK == 0;

shared vec4 sharedHeads[(ROWS + 1) * ROW_WORDS]; // queries, scaled, and the new key
shared vec4 sharedSums[SUBGROUPS * ROWS * ROW_WORDS];
shared float sharedPeaks[SUBGROUPS * ROWS];
shared float sharedTotals[SUBGROUPS * ROWS];

// What a lane holds, as globals because passing arrays to functions copies them.
uvec4 keyWords[SLOTS][CHUNKS_PER_LANE];
uvec4 valueWords[SLOTS][CHUNKS_PER_LANE];
vec4 freshValue[CHUNKS_PER_LANE][2];
float scores[SCORES]; // row after row; summed up, the first SCORES_PER_LANE are this lane's own
vec4 sums[ROWS][CHUNKS_PER_LANE][2];
float peak; // of this lane's row
float total; // of this lane's own scores

uint lane() { return gl_SubgroupInvocationID; }
uint lane_in_position() { return lane() % LANES; }
uint own_row() { return lane_in_position() / LANES_PER_ROW; }
// Rows beyond the last repeat it.
uint head_of(uint row) { return gl_WorkGroupID.y * GROUP + min(gl_WorkGroupID.x * ROWS + row, GROUP - 1); }

// First element, in a position's keys or values, of this lane's chunk `c`.
uint cached_element(uint c) { return gl_WorkGroupID.y * HEAD_DIM + 8 * min(c * LANES + lane_in_position(), CHUNKS - 1); }

// This lane's share of the new key or value as the cache stores it.
uvec4 fresh_words(vec4 v[2], uint type) {
  const vec4 highest = max(abs(v[0]), abs(v[1]));
  float peak = max(max(highest.x, highest.y), max(highest.z, highest.w));
  if (type == KV_Q8_0) [[unroll]] for (uint b = 0; b < 2; b++) peak = max(peak, subgroupShuffleXor(peak, 1u << b));
  return kv8_words(v, type, peak);
}

// The position that `slot` of this lane has in the block from `start` on.
uint position_of(uint start, uint slot) { return start + slot * ABREAST + lane() / LANES; }

// Positions up to the end of the cache may be read before it is known whether they count; what lies there may be
// anything, and the new position's may be written meanwhile.
void load_keys(uint start) {
  [[unroll]] for (uint i = 0; i < SLOTS; i++) {
    const uint position = min(position_of(start, i), push.cached - 1);
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      keyWords[i][c] =
        load_kv8_words(kv_row(push.keys, KEY_TYPE, KEY_WIDTH, position), KEY_TYPE, KEY_WIDTH, cached_element(c));
    }
  }
}

void load_values(uint start) {
  [[unroll]] for (uint i = 0; i < SLOTS; i++) {
    const uint position = min(position_of(start, i), push.cached - 1);
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      valueWords[i][c] =
        load_kv8_words(kv_row(push.values, VALUE_TYPE, VALUE_WIDTH, position), VALUE_TYPE, VALUE_WIDTH, cached_element(c));
    }
  }
}

#include "include/attention_decode_heads.glsl"

// Half `h` of this lane's chunk `c` of query `row`, or of the new key if `row` is ROWS; 0 beyond the head.
vec4 head_vector(uint row, uint c, uint h) {
  const uint chunk = c * LANES + lane_in_position();
  const vec4 x = sharedHeads[row * ROW_WORDS + 2 * min(chunk, CHUNKS - 1) + h];
  return chunk < CHUNKS ? x : vec4(0.0);
}

float capped(float score) { return SOFTCAP > 0.0 ? SOFTCAP * safe_tanh(score / SOFTCAP) : score; }

// Maximum or sum over the lanes that have scores of this lane's row. Counted, so that compilers unroll it.
float row_max(float x) {
  [[unroll]] for (uint b = 0; b < 7; b++) {
    const uint mask = 1u << b;
    if (mask >= LANES_PER_SCORE && mask < LANES_PER_ROW || mask >= LANES && mask < SUBGROUP) {
      x = max(x, subgroupShuffleXor(x, mask));
    }
  }
  return x;
}
float row_sum(float x) {
  [[unroll]] for (uint b = 0; b < 7; b++) {
    const uint mask = 1u << b;
    if (mask >= LANES_PER_SCORE && mask < LANES_PER_ROW || mask >= LANES && mask < SUBGROUP) x += subgroupShuffleXor(x, mask);
  }
  return x;
}

// Starts with no position, or with the new one, which also goes to the cache.
void start_sums(bool isFresh, uint position) {
  peak = LOWEST;
  total = 0.0;
  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) sums[r][c][0] = sums[r][c][1] = vec4(0.0);
  }
  if (!isFresh) return;
  float products[ROWS];
  [[unroll]] for (uint r = 0; r < ROWS; r++) products[r] = 0.0;
  [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
    const uvec4 key = fresh_words(vec4[](head_vector(ROWS, c, 0), head_vector(ROWS, c, 1)), KEY_TYPE);
    const uvec4 value = fresh_words(freshValue[c], VALUE_TYPE);
    [[unroll]] for (uint h = 0; h < 2; h++) {
      [[unroll]] for (uint r = 0; r < ROWS; r++) {
        products[r] += dot(head_vector(r, c, h), kv8_elements(key, KEY_TYPE, h));
        if (lane() < LANES) sums[r][c][h] = kv8_elements(value, VALUE_TYPE, h);
      }
    }
    if (gl_WorkGroupID.x == 0 && lane() < LANES && c * LANES + lane() < CHUNKS) {
      const uint i = cached_element(c);
      store_kv8_words(kv_row(push.keys, KEY_TYPE, KEY_WIDTH, position), KEY_TYPE, KEY_WIDTH, i, key);
      store_kv8_words(kv_row(push.values, VALUE_TYPE, VALUE_WIDTH, position), VALUE_TYPE, VALUE_WIDTH, i, value);
    }
  }
  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    [[unroll]] for (uint b = 0; b < 7; b++) {
      if (1u << b < LANES) products[r] += subgroupShuffleXor(products[r], 1u << b);
    }
    if (own_row() == r) peak = capped(products[r]);
  }
  if (lane() < LANES && lane() % LANES_PER_ROW == 0) total = 1.0;
}

// Sums the scores over the lanes that share a position. Each step sends away half of what a lane still has.
void spread_scores() {
  [[unroll]] for (uint b = 0; b < 7; b++) {
    const uint mask = LANES >> (b + 1);
    const uint kept = SCORES >> (b + 1);
    if (mask > 0 && kept > 0) {
      const bool upper = (lane() & mask) != 0;
      [[unroll]] for (uint i = 0; i < SCORES / 2; i++) {
        if (i < kept) {
          const float away = upper ? scores[i] : scores[i + kept];
          const float stays = upper ? scores[i + kept] : scores[i];
          scores[i] = stays + subgroupShuffleXor(away, mask);
        }
      }
    } else if (mask > 0) scores[0] += subgroupShuffleXor(scores[0], mask);
  }
}

// Scores of the block from `start` on, and from these the weights of those positions that lie from `first` to before `end`.
void weigh(uint start, uint first, uint end) {
  [[unroll]] for (uint i = 0; i < SCORES; i++) scores[i] = 0.0;
  [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      const vec4 q[2] = vec4[](head_vector(r, c, 0), head_vector(r, c, 1));
      [[unroll]] for (uint i = 0; i < SLOTS; i++) {
        const uvec4 words = keyWords[i][c];
        [[unroll]] for (uint h = 0; h < 2; h++) scores[r * SLOTS + i] += dot(q[h], kv8_elements(words, KEY_TYPE, h));
      }
    }
  }
  spread_scores();
  const uint firstSlot = lane_in_position() / LANES_PER_SCORE * SCORES_PER_LANE % SLOTS;
  float highest = peak;
  [[unroll]] for (uint i = 0; i < SCORES_PER_LANE; i++) {
    const uint position = position_of(start, firstSlot + i);
    scores[i] = position >= first && position < end ? capped(scores[i]) : LOWEST;
    highest = max(highest, scores[i]);
  }
  highest = row_max(highest);
  const float factor = exp(peak - highest);
  peak = highest;
  total *= factor;
  [[unroll]] for (uint i = 0; i < SCORES_PER_LANE; i++) {
    scores[i] = scores[i] > LOWEST ? exp(scores[i] - peak) : 0.0;
    total += scores[i];
  }
  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    const float rowFactor = subgroupShuffle(factor, r * LANES_PER_ROW);
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      sums[r][c][0] *= rowFactor;
      sums[r][c][1] *= rowFactor;
    }
  }
}

void add_values(uint start, uint first, uint end) {
  const uint firstLane = lane() - lane_in_position();
  [[unroll]] for (uint i = 0; i < SLOTS; i++) {
    float weights[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      const uint score = r * SLOTS + i;
      const uint from = firstLane + score / SCORES_PER_LANE * LANES_PER_SCORE;
      weights[r] = subgroupShuffle(scores[score % SCORES_PER_LANE], from);
    }
    const uint position = position_of(start, i);
    const bool seen = position >= first && position < end; // what else is there may be no number
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      const uvec4 words = seen ? valueWords[i][c] : uvec4(0);
      [[unroll]] for (uint h = 0; h < 2; h++) {
        const vec4 v = kv8_elements(words, VALUE_TYPE, h);
        [[unroll]] for (uint r = 0; r < ROWS; r++) sums[r][c][h] += weights[r] * v;
      }
    }
  }
}

// Leaves this subgroup's sums, peaks and totals to the others.
void share_sums() {
  total = row_sum(total);
  if (lane() < LANES && lane() % LANES_PER_ROW == 0) {
    sharedPeaks[own_row() * SUBGROUPS + gl_SubgroupID] = peak;
    sharedTotals[own_row() * SUBGROUPS + gl_SubgroupID] = total;
  }
  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      const uint chunk = c * LANES + lane();
      [[unroll]] for (uint h = 0; h < 2; h++) {
        [[unroll]] for (uint b = 0; b < 7; b++) {
          if (LANES << b < SUBGROUP) sums[r][c][h] += subgroupShuffleXor(sums[r][c][h], LANES << b);
        }
        if (lane() < LANES && chunk < CHUNKS) {
          sharedSums[(gl_SubgroupID * ROWS + r) * ROW_WORDS + 2 * chunk + h] = sums[r][c][h];
        }
      }
    }
  }
}

uint part_start(uint part, uint head) { return (part * (gl_NumWorkGroups.y * GROUP) + head) * PART_WORDS; }

// True for the last part of a row to come here, each as one subgroup; what the others wrote is then visible to this one.
bool is_last_part(uint head) {
  memoryBarrierBuffer();
  subgroupBarrier();
  uint drawn = 0;
  if (subgroupElect()) {
    drawn = atomicAdd(push.tickets.drawn[head], 1) + 1;
    if (drawn == gl_NumWorkGroups.z) push.tickets.drawn[head] = 0;
  }
  drawn = subgroupBroadcastFirst(drawn);
  memoryBarrierBuffer();
  return drawn == gl_NumWorkGroups.z;
}

// A row's weighted mean times its gate.
void write_result(uint head, uint word, vec4 sum, float peak, float total, vec4 gate) {
  vec4 result = sum * attention_result(1.0, peak, total, push.sinks, head);
  if (GATED) [[unroll]] for (uint k = 0; k < 4; k++) result[k] *= sigmoid(gate[k]);
  [[unroll]] for (uint k = 0; k < 4; k++) push.y.v[head * HEAD_DIM + 4 * word + k] = result[k];
}

// Joins the parts of a row; all loads that do not need a result of another go out together.
void join_parts(uint head, uint word, vec4 gate) {
  const uint count = gl_NumWorkGroups.z;
  float highest = LOWEST;
  float sumOfTotals = 0.0;
  vec4 sum = vec4(0.0);
  for (uint p = 0; p < count; p += PARTS_AT_ONCE) {
    vec4 ends[PARTS_AT_ONCE];
    vec4 partial[PARTS_AT_ONCE];
    [[unroll]] for (uint k = 0; k < PARTS_AT_ONCE; k++) {
      const uint start = part_start(min(p + k, count - 1), head);
      ends[k] = push.parts.v[start + ROW_WORDS];
      partial[k] = push.parts.v[start + word];
    }
    float before = highest;
    [[unroll]] for (uint k = 0; k < PARTS_AT_ONCE; k++) highest = max(highest, ends[k].x);
    sum *= exp(before - highest);
    sumOfTotals *= exp(before - highest);
    [[unroll]] for (uint k = 0; k < PARTS_AT_ONCE; k++) {
      const float factor = p + k < count ? exp(ends[k].x - highest) : 0.0;
      sum += factor * partial[k];
      sumOfTotals += factor * ends[k].y;
    }
  }
  write_result(head, word, sum, highest, sumOfTotals, gate);
}

void main() {
  const bool isFresh = gl_WorkGroupID.z == 0 && gl_SubgroupID == SUBGROUPS - 1;
  const uint position = ReadOnlyStep(uint64_t(push.step)).position;
  uint first = 0;
  if (WINDOW > 0) first = position + 1 - min(WINDOW, position + 1);
  if (CHUNK > 0) first = max(first, position - position % CHUNK);

  // Heads first: they are what everything else waits for.
  const uint heads = gl_WorkGroupID.z == 0 ? ROWS + 1 : ROWS;
  load_head(gl_SubgroupID * ABREAST, heads);
  const uint turn = gl_NumWorkGroups.z * SUBGROUPS * BLOCK;
  uint start = first + (gl_WorkGroupID.z * SUBGROUPS + gl_SubgroupID) * BLOCK;
  if (isFresh) {
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      [[unroll]] for (uint h = 0; h < 2; h++) freshValue[c][h] = load_vector(push.v, cached_element(c) + 4 * h);
    }
  }
  if (SEES_ALL || start < position) {
    load_keys(start);
    load_values(start);
  }
  vec4 gates[WORDS_PER_LANE];
  if (GATED && gl_SubgroupID < ROWS) {
    [[unroll]] for (uint i = 0; i < WORDS_PER_LANE; i++) {
      const uint word = min(i * SUBGROUP + lane(), ROW_WORDS - 1);
      gates[i] = load_vector(push.gate, head_of(gl_SubgroupID) * QUERY_STRIDE + 4 * word);
    }
  }
  finish_head(gl_SubgroupID * ABREAST, heads, position);
  for (uint i = gl_SubgroupID * ABREAST + SUBGROUPS * ABREAST; i < heads; i += SUBGROUPS * ABREAST) {
    load_head(i, heads);
    finish_head(i, heads, position);
  }
  barrier();

  start_sums(isFresh, position);
  if (start < position) {
    while (true) {
      weigh(start, first, position);
      if (start + turn >= position) break;
      // Not under a condition: what is loaded there would be waited for where the paths meet.
      load_keys(start + turn);
      add_values(start, first, position);
      load_values(start + turn);
      start += turn;
    }
    add_values(start, first, position);
  }
  share_sums();
  barrier();

  // Rows that repeat another have nothing to write.
  if (gl_SubgroupID >= ROWS || gl_WorkGroupID.x * ROWS + gl_SubgroupID >= GROUP) return;
  const uint head = head_of(gl_SubgroupID);
  const uint ofRow = gl_SubgroupID * SUBGROUPS;
  float rowPeak = LOWEST;
  [[unroll]] for (uint s = 0; s < SUBGROUPS; s++) rowPeak = max(rowPeak, sharedPeaks[ofRow + s]);
  vec4 rowSums[WORDS_PER_LANE];
  [[unroll]] for (uint i = 0; i < WORDS_PER_LANE; i++) rowSums[i] = vec4(0.0);
  float rowTotal = 0.0;
  [[unroll]] for (uint s = 0; s < SUBGROUPS; s++) {
    const float factor = exp(sharedPeaks[ofRow + s] - rowPeak);
    rowTotal += factor * sharedTotals[ofRow + s];
    [[unroll]] for (uint i = 0; i < WORDS_PER_LANE; i++) {
      const uint word = min(i * SUBGROUP + lane(), ROW_WORDS - 1);
      rowSums[i] += factor * sharedSums[(s * ROWS + gl_SubgroupID) * ROW_WORDS + word];
    }
  }
  const bool isSplit = gl_NumWorkGroups.z > 1;
  if (isSplit) {
    const uint at = part_start(gl_WorkGroupID.z, head);
    [[unroll]] for (uint i = 0; i < WORDS_PER_LANE; i++) {
      const uint word = i * SUBGROUP + lane();
      if (word < ROW_WORDS) push.parts.v[at + word] = rowSums[i];
    }
    if (lane() == 0) push.parts.v[at + ROW_WORDS] = vec4(rowPeak, rowTotal, 0.0, 0.0);
    if (!is_last_part(head)) return;
  }
  [[unroll]] for (uint i = 0; i < WORDS_PER_LANE; i++) {
    const uint word = i * SUBGROUP + lane();
    if (word < ROW_WORDS) {
      if (isSplit) join_parts(head, word, gates[i]);
      else write_result(head, word, rowSums[i], rowPeak, rowTotal, gates[i]);
    }
  }
}
