#version 460
// The gated delta net. Workgroup h: value head h. A team of TEAM lanes keeps one row of the transposed state (what all keys
// recall of one value element) in its registers while the rows of the batch go by; the workgroup goes through the value
// elements TEAMS at a time, and at last normalises and gates what it has written.
//
// With lengths |k| and |q| divided out of the sums, one pass over the state gives both what it knows of the key and its answer:
// q . (S + k c) = q . S + (q . k) c.
//
// With TAPS, for one row only, a short convolution comes first (see short_convolution.comp). Key heads that several value heads
// use are convolved by each of them; the first keeps their input. Nobody reads the ring's row that is written. What such a run
// takes is the time of one load behind the other, so all that can be is asked for before the first barrier.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/shared_floats.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 16;
layout(constant_id = 3) const uint KEY_HEADS = 1;
layout(constant_id = 4) const uint VALUE_HEADS = 1;
layout(constant_id = 5) const uint KEY_DIM = 128;
layout(constant_id = 6) const uint VALUE_DIM = 128;
layout(constant_id = 7) const bool TILED = false; // value head h uses key head h mod KEY_HEADS
layout(constant_id = 8) const uint GATE_GROUP = 1; // value heads whose alphas (or betas) lie together
layout(constant_id = 9) const uint TAPS = 0; // of the convolution; 0: there is none
#include "include/teams.glsl"
const uint PER_LANE = (KEY_DIM + TEAM - 1) / TEAM;
const uint SHARING = VALUE_HEADS / KEY_HEADS; // value heads per key head
const uint QKV_WIDTH = 2 * KEY_HEADS * KEY_DIM + VALUE_HEADS * VALUE_DIM;
const uint MIXED = TAPS > 0 ? 2 * KEY_DIM + VALUE_DIM : 1;
const uint ANSWERS = TAPS > 0 ? VALUE_DIM : 1;
const float LENGTH_EPSILON = 1e-6;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats qkv; // [rows, QKV_WIDTH]: queries, keys, values
  Floats alpha;
  Floats beta;
  Floats gate;
  SharedFloats y;
  Floats decay;
  Floats dtBias;
  Floats normWeight;
  Floats state; // [VALUE_HEADS, VALUE_DIM, KEY_DIM]
  Floats taps; // [QKV_WIDTH, TAPS]
  Floats ring; // [TAPS, QKV_WIDTH]: the input at position p in row p mod TAPS
  uint qkvStride;
  uint alphaStride;
  uint betaStride;
  uint gateStride;
  uint yStride;
  float epsilon;
} push;

shared float mixed[MIXED]; // this head's query, key and value behind the convolution
shared float answers[ANSWERS]; // of a single row
shared float gates[ANSWERS]; // the factors on them, behind their norm

uint key_head(uint head) { return TILED ? head % KEY_HEADS : head / SHARING; }

// Column in qkv of element i of this head's query, key and value, one behind the other.
uint column_of(uint head, uint i) {
  if (i < KEY_DIM) return key_head(head) * KEY_DIM + i;
  if (i < 2 * KEY_DIM) return (KEY_HEADS + key_head(head)) * KEY_DIM + i - KEY_DIM;
  return 2 * KEY_HEADS * KEY_DIM + head * VALUE_DIM + i - 2 * KEY_DIM;
}

void convolve(uint head) {
  const bool owner = TILED ? head < KEY_HEADS : head % SHARING == 0; // of the key head
  for (uint i = lane_index(); i < MIXED; i += WORKGROUP) {
    const uint column = column_of(head, i);
    const float now = push.qkv.v[column];
    float sum = push.taps.v[column * TAPS + TAPS - 1] * now;
    [[unroll]] for (uint earlier = 1; earlier < TAPS; earlier++) {
      const uint row = (push.step.position + TAPS - earlier) % TAPS;
      sum += push.taps.v[column * TAPS + TAPS - 1 - earlier] * push.ring.v[row * QKV_WIDTH + column];
    }
    mixed[i] = sum * sigmoid(sum);
    if ((owner || i >= 2 * KEY_DIM) && push.step.stopped == 0) {
      push.ring.v[push.step.position % TAPS * QKV_WIDTH + column] = now;
    }
  }
}

// The factor on value element `j` of a row, behind its norm.
float gate_of(uint head, uint row, uint j) {
  const float gate = push.gate.v[row * push.gateStride + head * VALUE_DIM + j];
  return push.normWeight.v[j] * gate * sigmoid(gate);
}

// Element i of this head's query, key and value in a row.
float operand(uint head, uint row, uint i) {
  return TAPS > 0 ? mixed[min(i, MIXED - 1)] : push.qkv.v[row * push.qkvStride + column_of(head, i)];
}

// The value element that this lane's team works on when `first` is the workgroup's first one; the last one for teams beyond it.
uint column_from(uint first) { return min(first + lane_index() / TEAM, VALUE_DIM - 1); }

// This lane's part of the state that belongs to a value element.
void load_state(uint head, uint column, out float state[PER_LANE]) {
  const uint first = (head * VALUE_DIM + column) * KEY_DIM;
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
    state[n] = push.state.v[first + min(lane_index() % TEAM + n * TEAM, KEY_DIM - 1)];
  }
}

// Carries value element `column` through the batch. All lanes of the workgroup take part.
void scan(uint head, uint column, bool valid, float state[PER_LANE]) {
  const uint lane = lane_index() % TEAM;
  const uint gateAt = head / GATE_GROUP * 2 * GATE_GROUP + head % GATE_GROUP;
  const uint element = head * VALUE_DIM + column;
  const uint first = element * KEY_DIM;
  for (uint row = 0; row < push.step.tokenCount; row++) {
    float keys[PER_LANE]; // 0 beyond the end of the head, like the queries
    float queries[PER_LANE];
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
      const uint i = lane + n * TEAM;
      queries[n] = i < KEY_DIM ? operand(head, row, i) : 0.0;
      keys[n] = i < KEY_DIM ? operand(head, row, KEY_DIM + i) : 0.0;
    }
    const float value = operand(head, row, 2 * KEY_DIM + column);
    const float alpha = push.alpha.v[row * push.alphaStride + gateAt] + push.dtBias.v[head];
    const float kept = exp(push.decay.v[head] * softplus(alpha));
    const float strength = sigmoid(push.beta.v[row * push.betaStride + gateAt]);
    float keySquares = 0.0, querySquares = 0.0, product = 0.0, known = 0.0, answer = 0.0;
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
      state[n] *= kept;
      keySquares += keys[n] * keys[n];
      querySquares += queries[n] * queries[n];
      product += keys[n] * queries[n];
      known += keys[n] * state[n];
      answer += queries[n] * state[n];
    }
    const float keyFactor = inversesqrt(team_sum(keySquares) + LENGTH_EPSILON);
    const float queryFactor = inversesqrt((team_sum(querySquares) + LENGTH_EPSILON) * float(KEY_DIM));
    const float correction = strength * (value - keyFactor * team_sum(known));
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) state[n] += keyFactor * keys[n] * correction;
    answer = queryFactor * (team_sum(answer) + keyFactor * team_sum(product) * correction);
    if (lane == 0 && valid) {
      if (TAPS > 0) answers[column] = answer;
      else push.y.v[row * push.yStride + element] = answer;
    }
  }
  if (!valid || push.step.stopped != 0) return;
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
    if (lane + n * TEAM < KEY_DIM) push.state.v[first + lane + n * TEAM] = state[n];
  }
}

// Normalises and gates the head's results, a row per subgroup.
void finish(uint head) {
  for (uint row = gl_SubgroupID; row < push.step.tokenCount; row += SUBGROUPS) {
    const uint y = row * push.yStride + head * VALUE_DIM;
    float squares = 0.0;
    for (uint j = gl_SubgroupInvocationID; j < VALUE_DIM; j += SUBGROUP) squares += push.y.v[y + j] * push.y.v[y + j];
    const float factor = inversesqrt(subgroupAdd(squares) / float(VALUE_DIM) + push.epsilon);
    for (uint j = gl_SubgroupInvocationID; j < VALUE_DIM; j += SUBGROUP) push.y.v[y + j] *= factor * gate_of(head, row, j);
  }
}

// The same for a single row, from shared memory.
void finish_single(uint head) {
  float squares = 0.0;
  for (uint j = gl_SubgroupInvocationID; j < VALUE_DIM; j += SUBGROUP) squares += answers[j] * answers[j];
  const float factor = inversesqrt(subgroupAdd(squares) / float(VALUE_DIM) + push.epsilon);
  for (uint j = lane_index(); j < VALUE_DIM; j += WORKGROUP) push.y.v[head * VALUE_DIM + j] = answers[j] * factor * gates[j];
}

void main() {
  const uint head = gl_WorkGroupID.x;
  float state[PER_LANE];
  load_state(head, column_from(0), state);
  if (TAPS > 0) {
    for (uint j = lane_index(); j < VALUE_DIM; j += WORKGROUP) gates[j] = gate_of(head, 0, j);
    convolve(head);
    barrier();
  }
  for (uint first = 0; first < VALUE_DIM; first += TEAMS) {
    if (first > 0) load_state(head, column_from(first), state);
    scan(head, column_from(first), first + lane_index() / TEAM < VALUE_DIM, state);
  }
  if (TAPS == 0) memoryBarrierBuffer();
  barrier();
  if (TAPS > 0) finish_single(head);
  else finish(head);
}
