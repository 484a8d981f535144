import { StopMatcher } from "../../src/inference/stop.ts";
import { assertEquals } from "../support/assert.ts";

/** Everything shown for a stream cut into `pieces`, and the stop string found. */
function stream(stops: string[], pieces: string[]): { shown: string[]; stop?: string } {
  const matcher = new StopMatcher(stops);
  const shown: string[] = [];
  for (const piece of pieces) {
    const { text, stop } = matcher.push(piece);
    shown.push(text);
    if (stop !== undefined) return { shown, stop };
  }
  return { shown: [...shown, matcher.finish()] };
}

Deno.test("StopMatcher shows text that cannot belong to a stop string at once", () => {
  assertEquals(stream(["END"], ["one ", "two "]), { shown: ["one ", "two ", ""] });
});

Deno.test("StopMatcher finds a stop string that spans pieces and cuts exactly before it", () => {
  assertEquals(stream(["<|end|>"], ["Hi<", "|en", "d", "|>junk"]), {
    shown: ["Hi", "", "", ""],
    stop: "<|end|>",
  });
});

Deno.test("StopMatcher holds back only the longest possible prefix", () => {
  // "aab" may still begin at the last "aa", so only the first "a" is certain.
  assertEquals(stream(["aab"], ["aaa", "c"]), { shown: ["a", "aac", ""] });
});

Deno.test("StopMatcher gives back what it held when the stream ends", () => {
  assertEquals(stream(["\n\nUser:"], ["Bye\n\nUs"]), { shown: ["Bye", "\n\nUs"] });
});

Deno.test("StopMatcher ends with the first of several stop strings to be complete", () => {
  assertEquals(stream(["abcd", "bc"], ["xabcd"]), { shown: ["xa"], stop: "bc" });
});

Deno.test("StopMatcher prefers the longest of stop strings that end together", () => {
  assertEquals(stream(["END", "THE END"], ["that's THE END."]), { shown: ["that's "], stop: "THE END" });
});

Deno.test("StopMatcher ignores empty stop strings", () => {
  assertEquals(stream(["", ""], ["a", "b"]), { shown: ["a", "b", ""] });
});

Deno.test("StopMatcher drops everything after a stop", () => {
  const matcher = new StopMatcher(["."]);
  assertEquals(matcher.push("a.b"), { text: "a", stop: "." });
  assertEquals(matcher.push("c"), { text: "" });
  assertEquals(matcher.finish(), "");
});

Deno.test("StopMatcher matches characters outside the basic plane", () => {
  assertEquals(stream(["🛑"], ["go 🟢", "🛑 on"]), { shown: ["go 🟢", ""], stop: "🛑" });
});

Deno.test("StopMatcher shows the same text however it is cut into pieces", () => {
  const stops = ["abab!", "bba", "a!a"];
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 12 }, () => "ab!"[random(3)]).join("");
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = at + 1 + random(4);
      pieces.push(text.slice(at, end));
      at = end;
    }
    const whole = stream(stops, [...text]);
    const cut = stream(stops, pieces);
    assertEquals(
      [cut.shown.join(""), cut.stop],
      [whole.shown.join(""), whole.stop],
      `seed round ${round}: ${text}`,
    );
  }
});
