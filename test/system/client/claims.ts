/** What a case claims, where vitest is not there. */

/** @throws {Error} that says what was there instead */
export function isSame(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`${what}: expected ${other}, found ${one}`)
}

export function isTrue(claim: boolean, what: string): void {
  if (!claim) throw new Error(`not so: ${what}`)
}

/** The failure of a promise, which has to be of this class. */
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
