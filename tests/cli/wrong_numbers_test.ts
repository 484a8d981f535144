/** What a person sees when the device computes wrong numbers. */
import { assert, assertEquals } from "../support/assert.ts";
import { runZinc } from "./support/run_zinc.ts";

Deno.test("zinc check says FAIL for the kernel that computes wrong, and ends with 1", async () => {
  const { code, stdout, stderr } = await runZinc(["check"], { env: { ZINC_FAULT_WRONG_KERNEL: "rope" } });
  assertEquals(code, 1);
  assertEquals(
    stdout.split("\n").filter((line) => line.startsWith("FAIL")).map((line) => line.split(/ +/)[1]),
    ["rope"],
  );
  assertEquals(stderr, "zinc: 1 check failed: results on this device cannot be trusted\n");
});

for (
  const [command, ...flags] of [["run", "--raw", "-p", "Hello"], ["logits", "-p", "Hello"], [
    "embed",
    "Hello",
  ]]
) {
  Deno.test(`zinc ${command} ends with one line when the model's results are not finite`, async () => {
    const { code, stdout, stderr } = await runZinc([command, "-m", "tests/golden/llama2.gguf", ...flags], {
      env: { ZINC_FAULT_NAN_LOGITS: "1" },
    });
    assertEquals([code, stdout], [1, ""]);
    const lines = stderr.trimEnd().split("\n").filter((line) => !line.includes("no GPU found"));
    assertEquals(lines.length, 1, stderr);
    assert(/^zinc: Cannot .* not finite/.test(lines[0]), stderr);
  });
}
