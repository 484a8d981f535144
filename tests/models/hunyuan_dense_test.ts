import { testDecoder } from "../support/golden.ts";

testDecoder("hunyuan-dense norms queries and keys after their rotation", "hunyuan_dense");
