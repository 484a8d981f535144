// A single weight of a format whose fields are too intertwined to pick one: its chunk is decoded.
float decode_one(Weights w, uint element) {
  float v[CHUNK];
  decode_chunk(w, element / CHUNK, v);
  return v[element % CHUNK];
}
