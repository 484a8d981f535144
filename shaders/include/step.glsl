// Generated from src/kernels/step_buffer.ts (deno run tools/write_step_glsl.ts): what changes from token to token.
#ifndef STEP_GLSL
#define STEP_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Step {
    uint position; // index in the KV cache of tokens[0]: how many tokens were fed before this step
    uint tokenCount; // rows of this step; the last row's logits are sampled
    uint ringIndex; // tokens written to the ring so far
    uint stopped; // 1 after an end-of-generation token or an error: a further step changes nothing
    uint error; // bits STEP_ERROR_*, 0 while all is well
    uint rngStep; // tokens drawn since the seed was set: the counter of the random numbers
    uint encoderLength; // rows that the encoder has left for cross attention
    uint padding0;
    uint tokens[];
};

const uint STEP_ERROR_NON_FINITE_LOGITS = 1u;
const uint STEP_ERROR_NO_CANDIDATE = 2u;
const uint RING_ERROR = 2147483648u;
#endif
