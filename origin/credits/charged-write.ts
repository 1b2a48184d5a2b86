import { WRITE_CENTS } from '../../shared/limits.ts'
import type { Credits } from './credits.ts'

/**
 * A write that costs its caller: the price is reserved before anything of it is looked at or done, and charged when
 * it has succeeded. A write that throws costs nothing.
 * @param subject the operation, for the statement
 * @throws {PaymentRequired | CreditsUnavailable} and nothing was done; else what the write throws
 */
export async function chargedWrite<Result>(
  credits: Credits,
  by: { accountHash: string; keyHash: string; subject: string },
  write: () => Promise<Result>,
): Promise<Result> {
  const reservation = await credits.reserve(by, WRITE_CENTS)
  try {
    const result = await write()
    reservation.settle('write', WRITE_CENTS, by)
    return result
  } finally {
    reservation.release()
  }
}
