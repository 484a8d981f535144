// Formats with blocks of 32: a lane's group is a block, two pieces of 16 weights under one scale.
#define GROUP 32
#define PIECES 2
#define SUBS 1
#define WORDS 8 // of quants, four in each

// The group of piece `piece` of a row, and which of the group's pieces it is.
uvec2 place(uint piece) { return uvec2(piece >> 1, piece & 1); }
