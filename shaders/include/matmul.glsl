// What the kernels of the matmul operation share: y = residual + scale * activation(W x' + bias), where x' is x or its
// RMS norm. With PAIR there are two matrices of the same shape, and y = activation(W x' + bias) * (W2 x' + bias2). Where rows
// have gates, what is added to the residual is multiplied by their sigmoid.
//
// The RMS norm's factor is the same for a whole row, so the kernels multiply x by the norm's weight while they read it,
// add up its squares on the way, and apply the factor to the finished dot products.
//
// The including file declares the specialization constants TOKENS, ACTIVATION, PAIR and NORM.
#ifndef MATMUL_GLSL
#define MATMUL_GLSL

#include "activations.glsl"
#include "buffers.glsl"

layout(push_constant, scalar) uniform Push {
  uint64_t weight;
  uint64_t weight2;
  Floats x;
  Floats y;
  Floats bias;
  Floats bias2;
  Floats residual;
  Floats normWeight;
  Floats rowGate; // [tokens, 1], or none
  uint blocks; // of the weight, for the distance between its planes
  uint rows; // of the weight: the width of y
  uint columns;
  uint tokens; // rows of x and y
  uint xStride;
  uint yStride;
  uint residualStride;
  float scale;
  float epsilon;
  uint rowGateStride;
} push;

const uint MATRICES = PAIR ? 2 : 1;

Weights weights_of(uint matrix) { return Weights(matrix == 0 ? push.weight : push.weight2, push.blocks); }

// What the kernels ask of an include like this one: which tokens a workgroup serves, where their x lies and how long it is, and
// which row of the weight gives a row of the product.
const bool SUM = false;
void begin() {}
uint first_token() { return gl_WorkGroupID.y * TOKENS; }
uint x_start(uint token) { return min(token, push.tokens - 1) * push.xStride; }
uint x_columns() { return push.columns; }
float x_factor(uint token, uint column) { return 1.0; }
uint weight_row(uint matrix, uint row, uint token, uint segment) { return row; }
uint product_rows() { return push.rows; }
uint token_count() { return push.tokens; }
float norm_weight(uint column) { return push.normWeight.v[min(column, push.columns - 1)]; }

float norm_factor(float squares) { return NORM ? inversesqrt(squares / float(push.columns) + push.epsilon) : 1.0; }

// Writes one output from its dot product (`gate` is the only one without PAIR).
void finish(float gate, float up, uint row, uint token) {
  if (present(push.bias)) gate += push.bias.v[row];
  float value = activate(ACTIVATION, gate);
  if (PAIR) value *= present(push.bias2) ? up + push.bias2.v[row] : up;
  value *= push.scale;
  if (present(push.rowGate)) value *= sigmoid(push.rowGate.v[token * push.rowGateStride]);
  if (present(push.residual)) value += push.residual.v[token * push.residualStride + row];
  push.y.v[token * push.yStride + row] = value;
}

// What is left to do when a workgroup has finished its rows.
void end(uint lane, uint lanes, uint token) {}

#endif
