import { describe, expect, it } from 'vitest'
import { ERROR_CODES, type ErrorCode } from '../../shared/errors/error-codes.ts'
import type { ErrorStatus } from '../../shared/errors/error-names.ts'
import { ApiError, errorReason } from '../../shared/errors/api-error.ts'

/** Error codes by status, as published for the core API. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  422: 'unprocessable_entity',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'service_unavailable',
}

const all = Object.entries(ERROR_CODES).flatMap(([reason, { statuses }]) =>
  statuses.map((status: ErrorStatus) => ({ status, reason: reason as ErrorCode })),
)
const finer = all.filter(
  ({ status, reason }) => !Object.values(WORDS).includes(reason) && WORDS[status],
)
/** The trigger service publishes these two codes as `error` (docs/decisions/0065). */
const isPublished = ({ reason }: { reason: string }) =>
  ['trigger_disabled', 'chain_not_configured'].includes(reason)

const bodyOf = (status: ErrorStatus, reason: ErrorCode) => {
  const failure = new ApiError(status, 'm', 'f', { reason })
  return { headers: failure.headers, ...failure.toBody('https://svc.test') }
}

describe('the error of a structured body', () => {
  it.each(all)('$status $reason: is the published code of the status', ({ status, reason }) => {
    const expected = isPublished({ reason }) ? reason : (WORDS[status] ?? reason)
    expect(bodyOf(status, reason).error).toBe(expected)
  })

  it.each(finer)('$status $reason: includes the reason in the body and in x-svc-error', (one) => {
    const body = bodyOf(one.status, one.reason)
    expect(body).toMatchObject({
      reason: one.reason,
      docs_url: `https://svc.test/docs/errors#${one.reason}`,
      headers: { 'x-svc-error': one.reason },
    })
    expect(errorReason(body)).toBe(one.reason)
  })

  it('has no reason if there is no more specific one', () => {
    const failure = new ApiError(402, 'm', 'f')
    expect(failure.toBody('https://svc.test')).not.toHaveProperty('reason')
    expect(failure.headers).toEqual({})
    expect(errorReason(failure.names)).toBe('payment_required')
  })

  it('of a previous release is the reason', () => {
    expect(errorReason({ error: 'spend_cap_reached' })).toBe('spend_cap_reached')
  })
})
