/** Text that was piped in: UTF-8 whatever the locale, a byte order mark dropped once. */

/** Reads standard input to its end. */
export async function readStandardInput(): Promise<string> {
  return await new Response(Deno.stdin.readable).text();
}
