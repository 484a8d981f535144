// The tokens of one workgroup: CHUNK consecutive ids, PER_LANE consecutive ones in each lane.
const uint CHUNK = 2048;
const uint PER_LANE = CHUNK / LANES; // at most 32, for bit masks

uint chunk_id(uint i) { return gl_WorkGroupID.x * CHUNK + lane() * PER_LANE + i; }

// Bits of the logits of this lane's tokens.
void load_chunk(out uint bits[PER_LANE]) {
  [[unroll]] for (uint i = 0; i < PER_LANE; i += 4) {
    const uvec4 four = load_logits4(chunk_id(i));
    [[unroll]] for (uint j = 0; j < 4; j++) bits[i + j] = four[j];
  }
}
