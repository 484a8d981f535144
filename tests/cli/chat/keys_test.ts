import { assertEquals } from "../../support/assert.ts";
import { type Key, KeyDecoder } from "../../../src/cli/chat/keys.ts";

const encoder = new TextEncoder();
const keysOf = (...pieces: string[]): Key[] => {
  const decoder = new KeyDecoder();
  return pieces.flatMap((piece) => decoder.push(encoder.encode(piece)));
};
const text = (value: string): Key => ({ type: "text", text: value });
const action = (name: string) => ({ type: "action", action: name }) as Key;

Deno.test("KeyDecoder tells text from control keys", () => {
  assertEquals(keysOf("hé\r\x7f"), [text("hé"), action("submit"), action("backspace")]);
});

Deno.test("KeyDecoder knows the arrows in both of their spellings", () => {
  assertEquals(keysOf("\x1b[A\x1bOA\x1b[1;5D"), [action("up"), action("up"), action("wordLeft")]);
});

Deno.test("KeyDecoder waits for the rest of a character and of an escape sequence", () => {
  const decoder = new KeyDecoder();
  const llama = encoder.encode("🦙");
  assertEquals(decoder.push(llama.subarray(0, 2)), []);
  assertEquals(decoder.push(llama.subarray(2)), [text("🦙")]);
  assertEquals(keysOf("\x1b", "[", "3", "~"), [action("delete")]);
});

Deno.test("KeyDecoder ignores sequences that it does not know", () => {
  assertEquals(keysOf("\x1b[5~\x1b[I\x1b[38;5;1ma"), [text("a")]);
});

Deno.test("KeyDecoder keeps a bracketed paste together, with plain line feeds", () => {
  const paste = "\x1b[200~one\rtwo\r\nthree\x1b[A\x1b[201~";
  assertEquals(keysOf(paste.slice(0, 9), paste.slice(9)), [{ type: "paste", text: "one\ntwo\nthree\x1b[A" }]);
});
