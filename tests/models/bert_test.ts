import { testEncoder } from "../support/golden.ts";

testEncoder("bert adds learned positions and token types, and norms the sum of each half", "bert_mean");
testEncoder("bert pools its first token where the file says so", "bert_cls");
testEncoder("nomic-bert rotates, gates with SiLU and has no biases", "nomic_bert");
