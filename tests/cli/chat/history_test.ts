import { assertEquals } from "../../support/assert.ts";
import { withEnv } from "../../support/env.ts";
import { TempDirectory } from "../../support/temp.ts";
import { History, historyPath } from "../../../src/cli/chat/history.ts";

Deno.test("History brings back what was typed, several lines and all", () => {
  using folder = new TempDirectory();
  const history = new History(folder.join("zinc", "history"));
  for (const text of ["one", "two\nlines", "two\nlines", "  ", "🦙"]) history.add(text);
  assertEquals(new History(folder.join("zinc", "history")).entries, ["one", "two\nlines", "🦙"]);
});

Deno.test("History keeps its file from everyone else", () => {
  using folder = new TempDirectory();
  const path = folder.join("history");
  Deno.writeTextFileSync(path, "", { mode: 0o644 });
  new History(path).add("secret");
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
});

Deno.test("History keeps the latest thousand entries", () => {
  using folder = new TempDirectory();
  const path = folder.join("history");
  Deno.writeTextFileSync(path, Array.from({ length: 1500 }, (_, index) => `"${index}"\n`).join(""));
  const { entries } = new History(path);
  assertEquals([entries.length, entries[0]], [1000, "500"]);
  assertEquals(Deno.readTextFileSync(path).split("\n").length, 1001);
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
});

Deno.test("History skips damaged lines and survives a place that cannot be written", () => {
  using folder = new TempDirectory();
  Deno.writeTextFileSync(folder.join("history"), 'junk\n"good"\n{"a":1}\n"cut');
  assertEquals(new History(folder.join("history")).entries, ["good"]);
  const history = new History(folder.join("history", "below", "a", "file"));
  history.add("kept for now");
  assertEquals(history.entries, ["kept for now"]);
});

Deno.test("History without a path leaves no trace", () => {
  using folder = new TempDirectory();
  withEnv({ XDG_STATE_HOME: folder.path }, () => {
    new History().add("secret");
    assertEquals(folder.names(), []);
    assertEquals(historyPath(), folder.join("zinc", "history"));
  });
});
