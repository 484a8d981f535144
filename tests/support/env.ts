/** Environment variables for the length of one test. */

/** Runs `body` with `variables` set (undefined: unset) and puts the old values back, also when it throws. */
export function withEnv<T>(variables: Record<string, string | undefined>, body: () => T): T {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  const restore = () => before.forEach(([name, value]) => set(name, value));
  for (const [name, value] of Object.entries(variables)) set(name, value);
  let result: T;
  try {
    result = body();
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as T;
  restore();
  return result;
}

function set(name: string, value: string | undefined): void {
  if (value === undefined) Deno.env.delete(name);
  else Deno.env.set(name, value);
}
