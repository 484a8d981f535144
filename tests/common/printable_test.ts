import { assertEquals } from "../support/assert.ts";
import { printable, withoutControls } from "../../src/common/printable.ts";

Deno.test("printable() escapes what could drive a terminal", () => {
  assertEquals(printable("\x1b]0;pwn\x07"), "\\u001b]0;pwn\\u0007");
  assertEquals(printable("a\nb\tc\r\x9b31m"), "a\\nb\\tc\\r\\u009b31m");
  assertEquals(printable("left\u202eright"), "left\\u202eright");
});

Deno.test("printable() keeps ordinary text of any script", () => {
  assertEquals(printable("naïve 日本語 🦙"), "naïve 日本語 🦙");
});

Deno.test("printable() replaces half a surrogate pair", () => {
  assertEquals(printable("\ud83d!"), "\ufffd!");
});

Deno.test("withoutControls() keeps lines and tabs and drops what could drive a terminal", () => {
  assertEquals(withoutControls("a\tb\n日本 🦙\x1b[31m\x07\x9b2J\r\x7f"), "a\tb\n日本 🦙[31m2J");
});
