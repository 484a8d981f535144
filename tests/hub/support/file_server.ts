/** A web server on this machine with one file, which can behave as badly as servers and networks do. */

/** How the server treats the next request; every entry is used once, then requests are served properly. */
export type Fault =
  | { readonly kind: "status"; readonly status: number }
  /** Closes the connection after `bytes` bytes of the body. */
  | { readonly kind: "cut"; readonly bytes: number }
  /** Stops sending after `bytes` bytes and keeps the connection open. */
  | { readonly kind: "stall"; readonly bytes: number };

/** One file at `/file`. */
export class FileServer implements AsyncDisposable {
  /** What is served. */
  content: Uint8Array<ArrayBuffer>;
  /** Its validator; null: none is sent. */
  etag: string | null = '"v1"';
  /** Whether `Range` is understood. */
  ranges = true;
  /** Faults to come. */
  readonly faults: Fault[] = [];
  /** `Range` headers of all requests so far. */
  readonly requestedRanges: (string | null)[] = [];
  /** `Authorization` header of the last request. */
  authorization: string | null = null;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Starts serving on a free port. */
  constructor(content: Uint8Array<ArrayBuffer>) {
    this.content = content;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#respond(request),
    );
  }

  /** Address of the file. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/file`;
  }

  /** Stops the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #respond(request: Request): Response {
    this.requestedRanges.push(request.headers.get("range"));
    this.authorization = request.headers.get("authorization");
    const fault = this.faults.shift();
    if (fault?.kind === "status") return new Response("no", { status: fault.status });
    const start = this.#startOf(request);
    if (start >= this.content.length && start > 0) {
      return new Response(null, {
        status: 416,
        headers: { "content-range": `bytes */${this.content.length}` },
      });
    }
    const body = this.content.subarray(start);
    const headers = new Headers({ "content-length": String(body.length) });
    if (this.etag) headers.set("etag", this.etag);
    if (start > 0) {
      headers.set("content-range", `bytes ${start}-${this.content.length - 1}/${this.content.length}`);
    }
    const status = start > 0 ? 206 : 200;
    return new Response(fault ? faulty(body, fault) : body, { status, headers });
  }

  #startOf(request: Request): number {
    const range = /^bytes=(\d+)-$/.exec(request.headers.get("range") ?? "");
    const condition = request.headers.get("if-range");
    return range && this.ranges && (condition === null || condition === this.etag) ? Number(range[1]) : 0;
  }
}

function faulty(
  body: Uint8Array<ArrayBuffer>,
  fault: Fault & { bytes: number },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!sent) {
        sent = true;
        controller.enqueue(body.slice(0, fault.bytes));
        return;
      }
      // What was sent should leave the machine before the connection breaks.
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (fault.kind === "cut") controller.error();
    },
  });
}
