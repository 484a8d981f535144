import { assertEquals } from "../support/assert.ts";
import { printable } from "../../src/common/printable.ts";

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
