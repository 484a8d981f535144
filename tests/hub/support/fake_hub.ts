/** A server that answers the few requests of the Hugging Face hub's API that zinc makes. */
import { createHash } from "node:crypto";

/** A hub with one repository. */
export class FakeHub implements AsyncDisposable {
  /** Paths of all requests, in order. */
  readonly requests: string[] = [];
  /** `Authorization` of all requests. */
  readonly authorizations = new Set<string | null>();
  /** Status that every request gets, for refusals. */
  status = 200;
  readonly #files: Record<string, Uint8Array<ArrayBuffer>>;
  readonly #repo: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Serves `files` (path: content) as the repository `repo`. */
  constructor(repo: string, files: Record<string, Uint8Array<ArrayBuffer>>) {
    this.#repo = repo;
    this.#files = files;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#respond(request),
    );
  }

  /** For `HF_ENDPOINT`. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Stops the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.requests.push(pathname);
    this.authorizations.add(request.headers.get("authorization"));
    if (this.status !== 200) return Response.json({ error: "refused" }, { status: this.status });
    if (pathname.startsWith(`/api/models/${this.#repo}/tree/`)) return Response.json(this.#entries());
    if (pathname.startsWith(`/api/models/${this.#repo}/paths-info/`)) {
      const { paths } = await request.json();
      return Response.json(this.#entries().filter((entry) => paths.includes(entry.path)));
    }
    const file = pathname.match(`^/${this.#repo}/resolve/[^/]+/(.*)$`);
    const content = file ? this.#files[decodeURIComponent(file[1])] : undefined;
    return content ? new Response(content) : Response.json({ error: "not here" }, { status: 404 });
  }

  #entries() {
    return Object.entries(this.#files).map(([path, content]) => ({
      type: "file",
      path,
      oid: "0",
      size: content.length,
      lfs: {
        oid: createHash("sha256").update(content).digest("hex"),
        size: content.length,
        pointerSize: 100,
      },
    }));
  }
}
