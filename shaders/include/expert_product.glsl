// In place of matmul.glsl for products with stacks of matrices, of which each row of x uses a few: the two halves of routed
// experts, and the per-head products of latent attention.
//
// Slot s of a row chooses matrix ids[row, s], or matrix s where there are no ids. Without SUM, each slot is a product of its
// own: gl_WorkGroupID.y counts the slots of all rows. With SUM, a row's slots are the segments of one long dot product:
// y = residual + scale * sum over slots of factor * (W[id] x[slot] + bias[id]). With GROUPED, `ids` is the address of the slots
// sorted by expert (see expert_groups.glsl), gl_WorkGroupID.y counts their groups, and a workgroup serves all slots of one.
//
// The including file declares the specialization constants TOKENS, ACTIVATION, PAIR and NORM and, for this include, SUM, SLOTTED_X,
// TAIL, GROUPED, and the bits of the floats LIMIT (gates are cut at it, up projections at both signs of it) and UP_OFFSET (added to the latter).
#ifndef EXPERT_PRODUCT_GLSL
#define EXPERT_PRODUCT_GLSL

#include "activations.glsl"
#include "buffers.glsl"
#include "expert_groups.glsl"

layout(push_constant, scalar) uniform Push {
  uint64_t weight; // [matrices, matrixRows, columns]
  uint64_t weight2; // the same format; may be the same tensor, whose matrices then hold both products' rows
  Floats x;
  Floats y;
  Floats ids; // [rows, slots], or none
  Floats factors; // on the slots' x, [rows, slots], or none
  Floats bias; // [matrices, rows]
  Floats bias2;
  Floats residual;
  Floats normWeight;
  uint blocks; // of the weight, for the distance between its planes
  uint rows; // of a product: the first of its matrix, or the last for weight2
  uint columns;
  uint matrixRows; // of a matrix, at least `rows`
  uint slots;
  uint xStride;
  uint yStride;
  uint idsStride;
  uint factorsStride;
  uint residualStride;
  float scale;
  float epsilon;
} push;

const uint MATRICES = PAIR ? 2 : 1;

Weights weights_of(uint matrix) { return Weights(matrix == 0 ? push.weight : push.weight2, push.blocks); }

ExpertGroup group; // of this workgroup, with GROUPED
uint ownMatrix; // of this workgroup, without SUM

// The tokens of this workgroup, from the first to the end of all: slots, but rows with SUM and places in the order with GROUPED.
uint first_token() { return GROUPED ? group.first : gl_WorkGroupID.y; }
uint token_count() { return GROUPED ? group.end : gl_NumWorkGroups.y; }

uint entry_of(uint token) {
  if (!GROUPED) return token;
  return expert_order(ExpertGroups(uint64_t(push.ids)), gl_NumWorkGroups.y).entries[min(token, group.end - 1)];
}

uint row_of(uint token) { return SUM ? token : entry_of(token) / push.slots; }
uint slot_of(uint token, uint segment) { return SUM ? segment : entry_of(token) % push.slots; }

uint chosen(uint row, uint slot) { return present(push.ids) ? uint(push.ids.v[row * push.idsStride + slot]) : slot; }

uint matrix_of(uint token, uint segment) { return SUM ? chosen(token, segment) : ownMatrix; }

void begin() {
  if (GROUPED) group = ExpertGroups(uint64_t(push.ids)).groups[gl_WorkGroupID.y];
  if (!SUM) ownMatrix = GROUPED ? group.expert : chosen(gl_WorkGroupID.y / push.slots, gl_WorkGroupID.y % push.slots);
}

// Where the x of a token starts; with SUM the slots' x follow each other.
uint x_start(uint token) {
  const uint slot = SLOTTED_X ? slot_of(token, 0) * (push.columns + TAIL) : 0;
  return row_of(token) * push.xStride + slot;
}

uint x_columns() { return SUM ? push.slots * push.columns : push.columns; }

float slot_factor(uint token, uint segment) {
  return present(push.factors) ? push.factors.v[row_of(token) * push.factorsStride + slot_of(token, segment)] : 1.0;
}

// Factor on a column of a token's x.
float x_factor(uint token, uint column) { return slot_factor(token, SUM ? column / push.columns : 0); }

// The weight's row that gives row `row` of the product.
uint weight_row(uint matrix, uint row, uint token, uint segment) {
  return matrix_of(token, segment) * push.matrixRows + (matrix == 0 ? 0 : push.matrixRows - push.rows) + row;
}

uint product_rows() { return push.rows; }
float norm_factor(float squares) { return NORM ? inversesqrt(squares / float(push.columns) + push.epsilon) : 1.0; }
float norm_weight(uint column) { return push.normWeight.v[min(column, push.columns - 1)]; }

float bias_of(Floats bias, uint token, uint segment, uint row) {
  return present(bias) ? bias.v[matrix_of(token, segment) * push.rows + row] : 0.0;
}

// Writes one element from its dot product (`gate` is the only one without PAIR).
void finish(float gate, float up, uint row, uint token) {
  float value = gate;
  if (SUM) {
    if (present(push.bias)) {
      for (uint s = 0; s < push.slots; s++) value += slot_factor(token, s) * bias_of(push.bias, token, s, row);
    }
    value *= push.scale;
    if (present(push.residual)) value += push.residual.v[token * push.residualStride + row];
    push.y.v[token * push.yStride + row] = value;
    return;
  }
  gate += bias_of(push.bias, token, 0, row);
  up += bias_of(push.bias2, token, 0, row);
  const float limit = uintBitsToFloat(LIMIT);
  const float added = clamp(PAIR ? up : gate, -limit, limit) + uintBitsToFloat(UP_OFFSET);
  value = PAIR ? activate(ACTIVATION, min(gate, limit)) * added : activate(ACTIVATION, added);
  push.y.v[row_of(token) * push.yStride + slot_of(token, 0) * (push.rows + TAIL) + row] = value;
}

// Copies the part of a slot's x that the product leaves out, [columns, columns + TAIL), behind its result.
void end(uint lane, uint lanes, uint token) {
  if (TAIL == 0 || gl_WorkGroupID.x > 0) return;
  const uint to = row_of(token) * push.yStride + slot_of(token, 0) * (push.rows + TAIL) + push.rows;
  for (uint i = lane; i < TAIL; i += lanes) push.y.v[to + i] = push.x.v[x_start(token) + push.columns + i];
}

#endif
