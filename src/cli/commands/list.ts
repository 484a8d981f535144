/** `zinc list`: the models in the store. */
import { formatBytes } from "../../common/byte_size.ts";
import { KNOWN_MODELS } from "../../hub/known_models.ts";
import { ModelStore, type StoredModel } from "../../hub/store.ts";
import type { AddCommand } from "../command.ts";
import { writeError } from "../output.ts";
import { table } from "../table.ts";

/** Adds `zinc list`. */
export const addList: AddCommand = (program, { out }) => {
  program.command("list")
    .summary("show the models that are there")
    .description("Show the models in the store, and the names that zinc pull knows.")
    .option("--json", "one JSON array instead of a table")
    .action(async ({ json }: { json?: boolean }) => {
      const store = new ModelStore();
      const models = store.list();
      if (json) {
        await out.json(
          models.map((model) => ({ ...model, path: store.path(model), bytes: totalBytes(model) })),
        );
        return;
      }
      if (models.length > 0) {
        const rows = models.map((
          model,
        ) => [model.name, formatBytes(totalBytes(model)), model.source, store.path(model)]);
        await out.write(await table(["NAME", "SIZE", "SOURCE", "PATH"], rows));
      }
      const missing = KNOWN_MODELS.filter(({ name }) => !models.some((model) => model.name === name));
      if (missing.length === 0) return;
      writeError(
        await table(["PULL ALSO KNOWS", ""], missing.map(({ name, description }) => [name, description])),
      );
    });
};

function totalBytes(model: StoredModel): number {
  return model.files.reduce((sum, file) => sum + file.bytes, 0);
}
