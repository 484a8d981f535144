// In place of matmul.glsl for the product that scores experts for a single row of x: the last workgroup to finish chooses them.
//
// The including file declares the specialization constants TOKENS, NORM and those of choose_experts.glsl.
#ifndef ROUTER_PRODUCT_GLSL
#define ROUTER_PRODUCT_GLSL

#include "buffers.glsl"
#include "shared_floats.glsl"
#include "tickets.glsl"

layout(push_constant, scalar) uniform Push {
  uint64_t weight;
  Floats x;
  SharedFloats logits; // [EXPERTS]
  Floats bias; // [EXPERTS], or none
  Floats normWeight;
  Tickets tickets; // one
  Floats ids; // [USED]
  Floats weights; // [USED]
  Floats selectionBias; // [EXPERTS], or none
  Floats expertScales; // [EXPERTS], or none
  uint blocks; // of the weight, for the distance between its planes
  uint columns;
  float scale; // of the logits
  float epsilon;
  float weightScale;
} push;

const uint MATRICES = 1;

Weights weights_of(uint matrix) { return Weights(push.weight, push.blocks); }

float logit(uint expert) { return push.logits.v[expert]; }

#include "choose_experts.glsl"

const bool SUM = false;
void begin() {}
uint first_token() { return 0; }
uint token_count() { return 1; }
uint x_start(uint token) { return 0; }
uint x_columns() { return push.columns; }
float x_factor(uint token, uint column) { return 1.0; }
uint weight_row(uint matrix, uint row, uint token, uint segment) { return row; }
uint product_rows() { return EXPERTS; }
float norm_weight(uint column) { return push.normWeight.v[min(column, push.columns - 1)]; }
float norm_factor(float squares) { return NORM ? inversesqrt(squares / float(push.columns) + push.epsilon) : 1.0; }

void finish(float sum, float unused, uint row, uint token) {
  push.logits.v[row] = push.scale * (present(push.bias) ? sum + push.bias.v[row] : sum);
}

void end(uint lane, uint lanes, uint token) {
  if (draws_last_ticket(push.tickets, 0, gl_NumWorkGroups.x) && gl_SubgroupID == 0) choose_experts(push.ids, push.weights);
}

#endif
