/** How errors end a command, as a process: exit code and the one line on standard error. */
import { assert, assertEquals } from "../support/assert.ts";

const ERRORS: [expression: string, code: number, stderr: RegExp][] = [
  ['new UserError("Cannot do it")', 1, /^zinc: Cannot do it\n$/],
  ['usageError("Wrong flag")', 2, /^zinc: Wrong flag\n$/],
  ['new UserError("two\\nlines \\u001b[31m")', 1, /^zinc: two\\nlines \\u001b\[31m\n$/],
  ['new Interrupted("x")', 130, /^$/],
  ['new OutputClosed("x")', 0, /^$/],
  [
    'new TypeError("x is undefined")',
    1,
    /^zinc: TypeError: x is undefined \(this is a defect of zinc; ZINC_DEBUG=1 shows where\)\n$/,
  ],
];

async function report(expression: string, env: Record<string, string> = {}) {
  const code = `
    import { UserError, usageError } from "./src/common/errors.ts";
    import { Interrupted, reportFailure } from "./src/cli/failure.ts";
    import { OutputClosed } from "./src/cli/output.ts";
    void [UserError, usageError, Interrupted, OutputClosed];
    Deno.exit(reportFailure(${expression}));`;
  const { code: status, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", "--ext=ts", code],
    env,
  }).output();
  return { status, text: new TextDecoder().decode(stderr) };
}

for (const [expression, code, pattern] of ERRORS) {
  Deno.test(`reportFailure() ends with ${code} for ${expression}`, async () => {
    const { status, text } = await report(expression);
    assertEquals(status, code);
    assert(pattern.test(text), JSON.stringify(text));
  });
}

Deno.test("reportFailure() shows the stack of a defect on request", async () => {
  const { text } = await report('new TypeError("x is undefined")', { ZINC_DEBUG: "1", NO_COLOR: "1" });
  assert(
    /this is a defect of zinc\)\n.*TypeError: x is undefined\n +at /.test(
      text,
    ),
    text,
  );
});
