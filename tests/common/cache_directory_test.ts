import { assert, assertEquals } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { cacheDirectory } from "../../src/common/cache_directory.ts";

Deno.test("cacheDirectory() prefers XDG_CACHE_HOME over HOME", () => {
  withEnv({ XDG_CACHE_HOME: "/x/cache", HOME: "/h" }, () => assertEquals(cacheDirectory(), "/x/cache/zinc"));
  withEnv({ XDG_CACHE_HOME: "", HOME: "/h", LOCALAPPDATA: undefined }, () => {
    assertEquals(cacheDirectory(), "/h/.cache/zinc");
  });
});

Deno.test("cacheDirectory() finds a home folder when HOME is unset", () => {
  withEnv({ XDG_CACHE_HOME: undefined, HOME: undefined, LOCALAPPDATA: undefined }, () => {
    assert(cacheDirectory().endsWith("/.cache/zinc"));
  });
});
