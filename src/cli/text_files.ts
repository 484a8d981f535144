/** Reads text files that the user names. */
import { UserError } from "../common/errors.ts";

/** The lines of the file `path` (`-`: standard input), without line ends; empty lines too. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const bytes = path === "-" ? Deno.stdin.readable : (await openFile(path)).readable;
  let rest = "";
  for await (const chunk of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest;
}

/** The whole text of the file `path`. */
export async function readTextFile(path: string): Promise<string> {
  using file = await openFile(path);
  return await new Response(file.readable).text();
}

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    const file = await Deno.open(path);
    if (!(await file.stat()).isDirectory) return file;
    file.close();
  } catch (cause) {
    throw new UserError(`Cannot read "${path}": ${(cause as Error).message}`, { cause });
  }
  throw new UserError(`Cannot read "${path}": it is a directory`);
}
