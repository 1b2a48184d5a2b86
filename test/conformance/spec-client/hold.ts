import { SpecError, SpecViolation } from './http.ts'

/** Checks a clause of the contract. @throws {SpecViolation} if it does not hold */
export function hold(condition: unknown, clause: string): asserts condition {
  if (!condition) throw new SpecViolation(`does not hold: ${clause}`)
}

export function same(actual: unknown, expected: unknown, clause: string): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new SpecViolation(`${clause}: ${left} where ${right} was expected`)
}

export function sameAddress(actual: string, expected: string, clause: string): void {
  same(actual.toLowerCase(), expected.toLowerCase(), clause)
}

/** @returns the error of a rejected call. @throws if it succeeds or has a status other than `statuses` */
export async function refusal(
  call: () => Promise<unknown>,
  clause: string,
  ...statuses: number[]
): Promise<SpecError> {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof SpecError)) throw error
    if (statuses.length) hold(statuses.includes(error.status), `${clause} (${error.message})`)
    return error
  }
  throw new SpecViolation(`not refused: ${clause}`)
}
