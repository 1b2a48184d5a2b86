import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import type { Operation } from '../operation.ts'

/** Statuses implied by the operation's properties, and those in `statuses`. */
export function failureStatuses(operation: Operation<any, any>): ErrorStatus[] {
  const { auth, walletAuth, body, query, list, csv, method } = operation
  const { writes, isFree, statuses = [] } = operation
  // 429: overloaded. 500: internal error.
  const found = new Set<ErrorStatus>([...statuses, 429, 500])
  const add = (...more: ErrorStatus[]) => more.forEach((status) => found.add(status))
  // 503: the accounts mirror is too old to resolve keys.
  if (auth !== 'none') add(401, 503)
  // 400: two credentials were sent, or the proof in the header is malformed.
  if (auth !== 'none') add(400)
  if (walletAuth) add(422)
  const isKeyed = auth === 'key' || auth === 'account_key'
  // 403: a usage key was sent but the account key is required, or the account key is from before a conversion.
  if (isKeyed) add(403)
  // 408 and 503: the body arrived too slowly, or no memory was available for it.
  if (body) add(400, 408, 413, 415, 422, 503)
  if (query) add(400, 422)
  if (list || csv) add(400)
  // Idempotency-Key: 400 if it is malformed, 409 if a request with it is in flight, 422 if its first request had
  // another body.
  if (auth !== 'none' && method === 'POST') add(400, 409, 422)
  if (writes !== undefined && !isFree) add(402)
  return [...found].toSorted((a, b) => a - b)
}
