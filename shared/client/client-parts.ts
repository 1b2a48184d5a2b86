import { parseBaseUrl } from './base-url.ts'
import type { CommonOptions } from './options.ts'
import type { Requester } from './request.ts'
import { createRequester } from './requester.ts'
import { type RuntimeEnvironment, runtimeEnvironment } from './runtime-environment.ts'
import { NotSent } from './failures/transport-errors.ts'
import { triggerOperations, type TriggerOperations } from './triggers/triggers.ts'
import { OriginVerification } from './verification/origin-verification.ts'
import { SealedActions } from './verification/sealed-actions.ts'

export type ClientParts = {
  requester: Requester
  environment: RuntimeEnvironment
  verification: OriginVerification
  sealedActions: SealedActions
  triggers: TriggerOperations
  signal: AbortSignal | undefined
}

/**
 * @throws {NotSent} for a URL to which keys must not be sent
 * @throws {PolicyIncomplete} if the policy for `verify: 'required'` is incomplete
 */
export function clientParts(options: CommonOptions): ClientParts {
  const { baseUrl, triggersUrl, verify = 'once', policy, retries, signal } = options
  const environment = runtimeEnvironment(options)
  const { fetch, random, now, sleep } = environment
  const origin = parseBaseUrl('baseUrl', baseUrl)
  const edge = triggersUrl === undefined ? undefined : parseBaseUrl('triggersUrl', triggersUrl)
  const verificationOptions = { baseUrl: origin, verify, policy, fetch, random, now, sleep, signal }
  const verification = options.verification
    ? requireSameOrigin(options.verification, origin, options)
    : new OriginVerification(verificationOptions)
  const via = options.sealedVia === 'edge' ? edge : origin
  if (via === undefined) {
    const fix = 'Pass the edge’s triggersUrl to createClient.'
    throw new NotSent('no_triggers_url', 'sealedVia: "edge" needs triggersUrl', fix)
  }
  const sealedActions = new SealedActions({ ...environment, verification, via, retries, signal })
  const requester = createRequester({
    ...environment,
    origin,
    edge,
    retries,
    signal,
    // Agent tokens are sent without verification, because only the edge receives them, and the edge has no evidence of
    // its own.
    beforeCredential: async (kind, ofCall) => {
      if (kind !== 'token') await verification.beforeCredential(ofCall)
    },
  })
  const triggers = triggerOperations({ ...environment, requester, token: options.token, signal })
  return { requester, environment, verification, sealedActions, triggers, signal }
}

function requireSameOrigin(
  verification: OriginVerification,
  origin: string,
  { verify, policy }: CommonOptions,
): OriginVerification {
  const fix = 'Omit verification: the client creates its own.'
  if (verification.origin !== origin)
    throw new NotSent('other_origin', `the verification is for ${verification.origin}`, fix)
  if (verify !== undefined || policy !== undefined)
    throw new NotSent(
      'verified_twice',
      'verify and policy are already set by the verification',
      fix,
    )
  return verification
}
