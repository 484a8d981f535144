import { createHash } from "node:crypto";
import { assertEquals, assertFails } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";
import { FileServer } from "./support/file_server.ts";
import { download, sha256OfFile } from "../../src/hub/download.ts";

const CONTENT = new Uint8Array(300_000).map((_, index) => index * 7 + (index >> 8));
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");
const FAST = { attempts: 2, idleMs: 400 };

Deno.test("download() leaves the file, its digest and nothing else", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  const digest = await download(server.url, {
    path: folder.join("m.gguf"),
    sha256: SHA256,
    bytes: CONTENT.length,
  });
  assertEquals(digest, SHA256);
  assertEquals(Deno.readFileSync(folder.join("m.gguf")), CONTENT);
  assertEquals(folder.names(), ["m.gguf"]);
});

Deno.test("download() goes on where a broken connection stopped", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.faults.push({ kind: "cut", bytes: 100_000 });
  await download(server.url, { path: folder.join("m.gguf"), sha256: SHA256, ...FAST });
  assertEquals(server.requestedRanges, [null, "bytes=100000-"]);
  assertEquals(await sha256OfFile(folder.join("m.gguf")), SHA256);
});

Deno.test("download() gives up on a stalled connection and goes on in a new one", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.faults.push({ kind: "stall", bytes: 50_000 });
  await download(server.url, { path: folder.join("m.gguf"), sha256: SHA256, ...FAST });
  assertEquals(server.requestedRanges, [null, "bytes=50000-"]);
});

Deno.test("download() resumes in a later call what an aborted one left", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.faults.push({ kind: "stall", bytes: 120_000 });
  const stopper = new AbortController();
  const onProgress = () => stopper.abort();
  await assertFails(
    () => download(server.url, { path: folder.join("m.gguf"), signal: stopper.signal, onProgress }),
    "abort",
  );
  assertEquals(folder.names(), ["m.gguf.partial", "m.gguf.partial.etag"]);
  const have = Deno.statSync(folder.join("m.gguf.partial")).size;
  assertEquals(await download(server.url, { path: folder.join("m.gguf") }), SHA256);
  assertEquals(server.requestedRanges, [null, `bytes=${have}-`]);
  assertEquals(folder.names(), ["m.gguf"]);
});

Deno.test("download() starts anew when the file on the server changed meanwhile", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  Deno.writeFileSync(folder.join("m.gguf.partial"), new Uint8Array(1000));
  Deno.writeTextFileSync(folder.join("m.gguf.partial.etag"), '"old"');
  assertEquals(await download(server.url, { path: folder.join("m.gguf") }), SHA256);
});

Deno.test("download() starts anew when the server does not understand ranges", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.ranges = false;
  Deno.writeFileSync(folder.join("m.gguf.partial"), CONTENT.subarray(0, 1000));
  assertEquals(await download(server.url, { path: folder.join("m.gguf"), sha256: SHA256 }), SHA256);
});

Deno.test("download() does not trust old bytes that nothing vouches for", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  Deno.writeFileSync(folder.join("m.gguf.partial"), new Uint8Array(1000));
  assertEquals(await download(server.url, { path: folder.join("m.gguf") }), SHA256);
  assertEquals(server.requestedRanges, [null]);
});

Deno.test("download() accepts a partial file that is complete already", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  Deno.writeFileSync(folder.join("m.gguf.partial"), CONTENT);
  Deno.writeTextFileSync(folder.join("m.gguf.partial.etag"), '"v1"');
  assertEquals(await download(server.url, { path: folder.join("m.gguf") }), SHA256);
  assertEquals(server.requestedRanges, [`bytes=${CONTENT.length}-`]);
});

Deno.test("download() discards a file whose digest is wrong", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  const wanted = "0".repeat(64);
  const error = await assertFails(
    () => download(server.url, { path: folder.join("m.gguf"), sha256: wanted }),
    SHA256,
  );
  assertEquals(
    error.message,
    `Cannot download ${server.url}: its SHA-256 is ${SHA256}, expected ${wanted}; the download was discarded, try again`,
  );
  assertEquals(folder.names(), []);
});

Deno.test("download() discards a partial file that was corrupted on disk", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  Deno.writeFileSync(folder.join("m.gguf.partial"), new Uint8Array(1000).fill(1));
  Deno.writeTextFileSync(folder.join("m.gguf.partial.etag"), '"v1"');
  await assertFails(() => download(server.url, { path: folder.join("m.gguf"), sha256: SHA256 }), "SHA-256");
  assertEquals(folder.names(), []);
  assertEquals(await download(server.url, { path: folder.join("m.gguf"), sha256: SHA256 }), SHA256);
});

Deno.test("download() refuses a file of the wrong length", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  await assertFails(
    () => download(server.url, { path: folder.join("m.gguf"), bytes: 299_999 }),
    "expected 299999 bytes, got 300000",
  );
});

Deno.test("download() does not repeat a request that was refused", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.faults.push({ kind: "status", status: 404 });
  await assertFails(() => download(server.url, { path: folder.join("m.gguf") }), "the server answered 404");
  server.faults.push({ kind: "status", status: 401 });
  const path = folder.join("m.gguf");
  await assertFails(
    () => download(server.url, { path }),
    `Cannot download ${server.url}: access denied (401); download it another way, and pass the file with -m`,
  );
  server.faults.push({ kind: "status", status: 403 });
  await assertFails(
    () => download(server.url, { path, whenDenied: "accept the terms" }),
    `Cannot download ${server.url}: access denied (403); accept the terms`,
  );
  assertEquals(server.requestedRanges.length, 3);
});

Deno.test("download() tries again after a server error, and in the end says what is wrong", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  server.faults.push({ kind: "status", status: 503 });
  await download(server.url, { path: folder.join("m.gguf"), ...FAST });
  server.faults.push({ kind: "status", status: 500 }, { kind: "status", status: 500 });
  await assertFails(
    () => download(server.url, { path: folder.join("n.gguf"), ...FAST }),
    "the server answered 500",
  );
});

Deno.test("download() says that nobody listens", async () => {
  using folder = new TempDirectory();
  const error = await assertFails(
    () => download("http://127.0.0.1:9/m.gguf", { path: folder.join("m.gguf"), attempts: 1 }),
    "Cannot download http://127.0.0.1:9/m.gguf: ",
  );
  assertEquals(error.message.includes("\n"), false);
});
