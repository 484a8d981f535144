/** `zinc pull`: fetch models into the store. */
import { KNOWN_MODELS } from "../../hub/known_models.ts";
import type { AddCommand } from "../command.ts";

/** Adds `zinc pull`. */
export const addPull: AddCommand = (program, { out }) => {
  program.command("pull")
    .summary("fetch a model")
    .description(
      "Fetch models into the store, so that -m finds them by name. A download that was interrupted goes on where it " +
        "stopped; the SHA-256 is checked. HF_TOKEN opens gated repositories, HF_ENDPOINT names another hub.",
    )
    .argument(
      "<models...>",
      `${KNOWN_MODELS.map(({ name }) => name).join(", ")}, org/repo[:quant] on the hub, or a URL`,
    )
    .action(async (references: string[]) => {
      const { pullWithProgress } = await import("../model_source.ts");
      const { ModelStore } = await import("../../hub/store.ts");
      const store = new ModelStore();
      for (const reference of references) {
        await out.line(store.path(await pullWithProgress(store, reference)));
      }
    });
};
