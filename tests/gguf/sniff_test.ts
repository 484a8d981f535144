import { UserError } from "../../src/common/errors.ts";
import { openGguf } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { concat, rawGguf, soundFile, u64, withFile } from "./hostile.ts";

const text = (content: string) => new TextEncoder().encode(content);

const NOT_GGUF: [what: string, content: Uint8Array, message: string][] = [
  ["an empty file", new Uint8Array(), "the file is empty; download it again"],
  ["two bytes", text("GG"), "the file ends after 2 bytes; download it again"],
  [
    "a Git LFS pointer",
    text("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n"),
    "it is a Git LFS pointer, not the model itself; fetch the model with `git lfs pull`",
  ],
  [
    "a web page",
    text("\n<!DOCTYPE html><html>"),
    "it is a web page, not a model; use the link of the file itself",
  ],
  ["a web page in lower case", text("<html><body>404"), "it is a web page"],
  ["a zip archive", text("PK\x03\x04"), "it is a zip archive (or a PyTorch checkpoint), not a GGUF file"],
  ["a gzip file", Uint8Array.of(0x1f, 0x8b, 8, 0), "it is gzip-compressed; unpack it first"],
  [
    "safetensors",
    concat(u64(64), text('{"model.weight":{"dtype":"F16"')),
    "it is a safetensors file; convert it to GGUF first",
  ],
  ["a GGML file", text("tjgg\x03\0\0\0"), "it is a GGML file from before GGUF; convert the model again"],
  ["reversed bytes", text("FUGG\0\0\0\x03"), "its bytes are in reverse order"],
  ["a text file", text("# A model card\n"), "it is a text file, not a GGUF file"],
  [
    "random bytes",
    Uint8Array.of(1, 2, 3, 4, 5),
    "it is not a GGUF file: it starts with the bytes 01 02 03 04",
  ],
];

for (const [what, content, message] of NOT_GGUF) {
  Deno.test(`openGguf() recognizes ${what}`, async () => {
    const error = await withFile(content, (path) => assertFails(() => openGguf(path), message));
    assert(error instanceof UserError);
    assert(/^Cannot read ".*m\.gguf": /.test(error.message), error.message);
  });
}

Deno.test("openGguf() recognizes missing files and directories", async () => {
  assert(await assertFails(() => openGguf("/no/such/m.gguf"), "there is no such file") instanceof UserError);
  assert(await assertFails(() => openGguf("/"), 'Cannot read "/": it is a directory') instanceof UserError);
});

Deno.test("openGguf() does not wait for a pipe", { ignore: Deno.build.os === "windows" }, async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const pipe = `${folder}/pipe.gguf`;
    assert(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().success);
    assert(await assertFails(() => openGguf(pipe), "it is a pipe or a device") instanceof UserError);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

const mayReadAnything = Deno.build.os === "windows" || Deno.uid() === 0;

Deno.test(
  "openGguf() says that permission is denied (not run as root, who may read anything)",
  { ignore: mayReadAnything },
  async () => {
    await withFile(rawGguf(soundFile()), async (path) => {
      Deno.chmodSync(path, 0);
      assert(await assertFails(() => openGguf(path), "permission denied") instanceof UserError);
    });
  },
);

Deno.test("openGguf() accepts a path with spaces and letters of any script", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const path = `${folder}/модель 🦙.gguf`;
    Deno.writeFileSync(path, rawGguf(soundFile()));
    using file = openGguf(path);
    assertEquals(file.tensors.size, 3);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
