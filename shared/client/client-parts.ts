import { hostOf } from './base-url.ts'
import type { CommonOptions } from './options.ts'
import type { Requester } from './request.ts'
import { createRequester } from './requester.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import { OriginVerification } from './verification/origin-verification.ts'

/** What a client of either mode is put together from. */
export type ClientParts = {
  requester: Requester
  surroundings: Surroundings
  verification: OriginVerification
  signal: AbortSignal | undefined
}

/** @throws {NotSent} for addresses that no key may be sent to; {PolicyIncomplete} */
export function clientParts(options: CommonOptions): ClientParts {
  const { baseUrl, triggersUrl, verify = 'once', policy, retries, signal } = options
  const surroundings = surroundingsOf(options)
  const { fetch, random, now } = surroundings
  const origin = hostOf('baseUrl', baseUrl)
  const edge = triggersUrl === undefined ? undefined : hostOf('triggersUrl', triggersUrl)
  const verification = new OriginVerification({
    baseUrl: origin,
    verify,
    policy,
    fetch,
    random,
    now,
    signal,
  })
  const requester = createRequester({
    ...surroundings,
    origin,
    edge,
    retries,
    signal,
    // A token is the edge's business, which shows no evidence of its own.
    beforeCredential: async (kind, ofCall) => {
      if (kind !== 'token') await verification.beforeCredential(ofCall)
    },
  })
  return { requester, surroundings, verification, signal }
}
