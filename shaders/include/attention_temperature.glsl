// Scores that grow with the position of the query (Llama 4, Ministral 3).
#ifndef ATTENTION_TEMPERATURE_GLSL
#define ATTENTION_TEMPERATURE_GLSL

// 1 + scale * ln(1 + floor((position + offset) / interval)).
float temperature_at(uint position, float scale, float interval, float offset) {
  const float a = float(position) + offset;
  float steps = floor(a / interval);
  if ((steps + 1.0) * interval <= a) steps += 1.0; // division may be off by a bit
  if (steps * interval > a) steps -= 1.0;
  return 1.0 + scale * log(1.0 + steps);
}

#endif
