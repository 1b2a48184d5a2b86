import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'

/**
 * Runs checks of a usage key, which have no side effects. A failed check is reported like a request that was never sent.
 * @throws {OriginUnavailableError} with `isUnsent`, and any other error of the checks
 */
export async function withoutSideEffects<Result>(checks: () => Promise<Result>): Promise<Result> {
  try {
    return await checks()
  } catch (error) {
    if (error instanceof OriginUnavailableError && !error.isUnsent)
      throw new OriginUnavailableError(error.message, { cause: error, isUnsent: true })
    throw error
  }
}
