/** `zinc rm`: delete models from the store. */
import { storedName } from "../../hub/reference.ts";
import { ModelStore } from "../../hub/store.ts";
import type { AddCommand } from "../command.ts";
import { notice } from "../output.ts";

/** Adds `zinc rm`. */
export const addRm: AddCommand = (program) => {
  program.command("rm")
    .summary("delete a model")
    .description("Delete models from the store, also what an unfinished pull left of them.")
    .argument("<models...>", "names as zinc list shows them")
    .action((references: string[]) => {
      const store = new ModelStore();
      for (const reference of references) {
        const name = storedName(reference);
        store.remove(name);
        notice(`removed ${name}`);
      }
    });
};
