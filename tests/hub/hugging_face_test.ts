import { assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { FakeHub } from "./support/fake_hub.ts";
import { choosePaths, locateFile, locateModel } from "../../src/hub/hugging_face.ts";
import { parseRepoReference } from "../../src/hub/reference.ts";

const REPO = { repo: "org/model-GGUF" };
const FILES = [
  "README.md",
  "mmproj-model-f16.gguf",
  "model-Q8_0.gguf",
  "model.Q4_K_M.gguf",
  "model-IQ4_XS.gguf",
  "model-Q4_K_S.gguf",
];

Deno.test("parseRepoReference() reads org/repo with an optional quantization", () => {
  assertEquals(parseRepoReference("org/model-GGUF"), { repo: "org/model-GGUF", quant: undefined });
  assertEquals(parseRepoReference("hf://o.r-g/m_1.5:Q4_K_M"), { repo: "o.r-g/m_1.5", quant: "Q4_K_M" });
  for (const text of ["model", "a/b/c", "/a/b", "a/b:", "a b/c", ""]) {
    assertEquals(parseRepoReference(text), undefined);
  }
});

Deno.test("choosePaths() prefers Q4_K_M when nothing is asked for", () => {
  assertEquals(choosePaths(FILES, REPO), ["model.Q4_K_M.gguf"]);
});

Deno.test("choosePaths() matches the whole quantization name, case ignored", () => {
  assertEquals(choosePaths(FILES, { ...REPO, quant: "q8_0" }), ["model-Q8_0.gguf"]);
  assertEquals(choosePaths(FILES, { ...REPO, quant: "Q4_K_S" }), ["model-Q4_K_S.gguf"]);
});

Deno.test("choosePaths() takes all parts of a split model in order", () => {
  const parts = [3, 1, 2].map((part) => `Q6_K/m-Q6_K-0000${part}-of-00003.gguf`);
  assertEquals(choosePaths([...FILES, ...parts], { ...REPO, quant: "Q6_K" }), [...parts].sort());
});

Deno.test("choosePaths() names what there is when the wanted one is not there", async () => {
  await assertFails(
    () => choosePaths(["a-Q8_0.gguf"], { ...REPO, quant: "Q4_K" }),
    "Cannot pull org/model-GGUF:Q4_K: it has a-Q8_0.gguf",
  );
  await assertFails(
    () => choosePaths(["README.md"], REPO),
    "Cannot pull org/model-GGUF: it has no GGUF file",
  );
});

Deno.test("locateModel() asks the server in HF_ENDPOINT, with the token", async () => {
  await using hub = new FakeHub(REPO.repo, {
    "m-Q4_0.gguf": new Uint8Array(7),
    "m-Q8_0.gguf": new Uint8Array(9),
  });
  await withEnv({ HF_ENDPOINT: hub.endpoint, HF_TOKEN: "hf_secret" }, async () => {
    const [file, ...others] = await locateModel({ ...REPO, quant: "Q8_0" });
    assertEquals(others, []);
    assertEquals([file.name, file.bytes], ["m-Q8_0.gguf", 9]);
    assertEquals(file.url, `${hub.endpoint}/org/model-GGUF/resolve/main/m-Q8_0.gguf`);
    assertEquals(file.headers, { authorization: "Bearer hf_secret" });
    assertEquals(hub.authorizations, new Set(["Bearer hf_secret"]));
  });
});

Deno.test("locateFile() explains a file, a repository and a permission that is not there", async () => {
  await using hub = new FakeHub(REPO.repo, { "a.gguf": new Uint8Array(1) });
  await withEnv({ HF_ENDPOINT: hub.endpoint, HF_TOKEN: undefined }, async () => {
    await assertFails(
      () => locateFile({ ...REPO, file: "b.gguf" }),
      `Cannot find "b.gguf" in org/model-GGUF`,
    );
    await assertFails(() => locateFile({ repo: "org/other", file: "a.gguf" }), "Cannot find org/other on");
    hub.status = 401;
  });
});

Deno.test("a denied repository is said to be perhaps none, private or gated, with the pages where that changes", async () => {
  await using hub = new FakeHub(REPO.repo, { "a.gguf": new Uint8Array(1) });
  const { endpoint } = hub;
  const where = `Cannot read org/model-GGUF on ${endpoint}`;
  const ask = (status: number, token?: string) => {
    hub.status = status;
    return withEnv(
      { HF_ENDPOINT: endpoint, HF_TOKEN: token },
      () => locateModel({ ...REPO, quant: undefined }),
    );
  };
  const terms = `accept its terms on ${endpoint}/org/model-GGUF`;
  const noToken = `${terms}, and set HF_TOKEN to a token from ${endpoint}/settings/tokens that may read it`;
  const badToken =
    `${terms}, and see on ${endpoint}/settings/tokens that the token in HF_TOKEN is valid and may read gated repositories`;
  await assertFails(() => ask(401), `${where}: access denied, or there is none of that name; ${noToken}`);
  await assertFails(() => ask(403), `${where}: access denied; ${noToken}`);
  await assertFails(() => ask(401, "hf_old"), `${where}: access denied; ${badToken}`);
  await assertFails(() => ask(403, "hf_narrow"), `${where}: access denied; ${badToken}`);
  hub.status = 200;
  await withEnv({ HF_ENDPOINT: endpoint, HF_TOKEN: undefined }, async () => {
    const [{ whenDenied }] = await locateModel({ ...REPO, quant: undefined });
    assertEquals(whenDenied, noToken); // gated repositories list their files to everybody
  });
});
