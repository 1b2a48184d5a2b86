import { WRITE_CENTS } from '../../shared/limits.ts'
import type { Credits } from './credits.ts'

/**
 * Performs a write whose price is reserved before it starts, and charged when it succeeds. A write that throws is free
 * of charge.
 * @throws {PaymentRequired | SpendCapReachedError | CreditsUnavailableError} before the write starts; otherwise any error of the
 * write
 */
export async function chargeForWrite<Result>(
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
