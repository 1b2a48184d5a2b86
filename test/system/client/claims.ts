/** Assertions for runtimes in which vitest is not available. */

/** @throws {Error} with the expected and the found value */
export function isSame(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`${what}: expected ${other}, found ${one}`)
}

export function isTrue(claim: boolean, what: string): void {
  if (!claim) throw new Error(`not so: ${what}`)
}

/** @returns the error that the promise rejects with. @throws {Error} if it is not of this class */
export async function failsAs<Failure extends Error>(
  kind: new (...facts: never[]) => Failure,
  promise: Promise<unknown>,
): Promise<Failure> {
  const failure = await promise.then(
    (value) => new Error(`it was answered: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (failure instanceof kind) return failure
  throw new Error(`expected ${kind.name}, found ${String(failure)}`, { cause: failure })
}
