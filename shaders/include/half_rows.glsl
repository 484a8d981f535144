// What half_rows.comp leaves: one factor per row, then the rows.
#ifndef HALF_ROWS_GLSL
#define HALF_ROWS_GLSL

#include "buffers.glsl"

// The float by which a finished dot product with row `row` has to be multiplied.
float half_row_factor(uint64_t address, uint row) { return Floats(address).v[row]; }

// Address of the first of `count` rows.
uint64_t half_rows(uint64_t address, uint count) { return address + (4 * uint64_t(count) + 15 & ~uint64_t(15)); }

#endif
