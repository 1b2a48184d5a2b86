import { DAY_MS } from '../../shared/durations.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from '../../shared/limits.ts'

/**
 * Reads a range of days as `YYYY-MM-DD`, inclusive. `to` defaults to today, and `from` defaults to 30 days of usage.
 * @throws {ApiError} 400 if the days are in the wrong order or the range is too long
 */
export function usageRange(
  requested: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = requested.to ?? formatDay(now)
  const from = requested.from ?? formatDay(Date.parse(to) - (USAGE_DAYS_DEFAULT - 1) * DAY_MS)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1)
    throw new ApiError(
      400,
      `from: ${from} is after the last day, ${to}`,
      'Send from and to in chronological order.',
    )
  if (days > USAGE_DAYS_MAX)
    throw new ApiError(
      400,
      `from: ${from} to ${to} are ${days} days; the limit is ${USAGE_DAYS_MAX}`,
      'Send several requests with shorter ranges.',
    )
  return { from, to }
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
