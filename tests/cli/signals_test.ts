/** How a running command ends when it is told to, or when the device goes away under it. */
import { assert, assertEquals } from "../support/assert.ts";
import { runZinc } from "./support/run_zinc.ts";

const RUN = ["run", "-m", "tests/golden/llama2.gguf", "--raw", "-p", "Hello", "-n", "400", "--ignore-eos"];
const SLOW = { ZINC_FAULT_SLOW_SUBMIT_MS: "200" };

function startZinc(args: string[], env: Record<string, string>) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "main.ts", ...args],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Starts `zinc run` and sends `signal` as soon as the first text has come. */
async function interruptRun(signal: Deno.Signal, args: string[], env: Record<string, string> = {}) {
  const child = startZinc(args, env);
  const reader = child.stdout.getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (text === "") child.kill(signal);
    text += new TextDecoder().decode(part.value);
  }
  const stderr = await new Response(child.stderr).text();
  return { code: (await child.status).code, text, stderr };
}

Deno.test("Ctrl+C stops zinc run with 130 and keeps the text so far", async () => {
  for (const executor of ["vulkan", "reference"]) {
    const { code, text, stderr } = await interruptRun("SIGINT", [...RUN, "--executor", executor], SLOW);
    assertEquals(code, 130, stderr);
    assert(text.length > 0 && text.endsWith("\n"), JSON.stringify(text));
    assert(!/defect|Error/.test(stderr), stderr);
  }
});

Deno.test("SIGTERM while zinc waits for the device ends it with 143", async () => {
  const { code, stderr } = await interruptRun("SIGTERM", RUN, SLOW);
  assertEquals(code, 143, stderr);
});

Deno.test("a lost device ends zinc run with 1 and a hint", async () => {
  const { code, stderr } = await runZinc(RUN, { env: { ZINC_FAULT_DEVICE_LOST_AT_SUBMIT: "6" } });
  assertEquals(code, 1);
  const line = stderr.trimEnd().split("\n").at(-1)!;
  assert(/^zinc: .*lost/.test(line) && !/defect/.test(line), stderr);
});

/** Whether something listens where Deno's debugger does. */
async function debuggerAnswers(): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port: 9229 })).close();
    return true;
  } catch {
    return false;
  }
}

const portIsTaken = Deno.build.os !== "windows" && await debuggerAnswers();

Deno.test({
  name: `SIGUSR1 leaves no debugger open, and the reply goes on${portIsTaken ? " (its port is taken)" : ""}`,
  ignore: Deno.build.os === "windows" || portIsTaken,
  fn: async () => {
    const child = startZinc(RUN, SLOW);
    const reader = child.stdout.getReader();
    for (let pieces = 0; pieces < 8; pieces++) {
      if (pieces === 1) child.kill("SIGUSR1");
      assert(!(await reader.read()).done);
    }
    assertEquals(await debuggerAnswers(), false);
    child.kill("SIGINT");
    while (!(await reader.read()).done);
    await child.stderr.cancel();
    assertEquals((await child.status).code, 130);
  },
});
