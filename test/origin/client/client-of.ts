/** A client that verifies a test origin and seals its calls, over a network that a test can intercept. */
import { randomBytes } from 'node:crypto'
import type { Policy } from '../../../shared/attestation/policy.ts'
import {
  type TrustedOrigin,
  verifyOrigin,
} from '../../../shared/client/verification/trusted-origin.ts'
import {
  type ActionCall,
  sealedSvcAction,
} from '../../../shared/client/verification/sealed-svc-action.ts'
import { makeAuthority } from '../../doubles/certificates.ts'
import type { TestOrigin } from '../http/origin.ts'

export const BASE_URL = 'https://origin.test'

/** Sits between the client and the origin: receives the request and a function that forwards it. */
export type Network = (request: Request, passOn: () => Promise<Response>) => Promise<Response>

export const wire: Network = (_request, passOn) => passOn()

export const random = (bytes: number) => new Uint8Array(randomBytes(bytes))

/** Makes the origin create evidence for a real certificate, because the test origin has no TLS. */
export async function showEvidence(origin: TestOrigin): Promise<void> {
  const authority = await makeAuthority()
  const { cert } = await authority.issue({ names: ['origin.test'] })
  await origin.services.evidence.make({
    domain: 'origin.test',
    chain: cert.endsWith('\n') ? cert : `${cert}\n`,
    acmeAccount: '{"uri":"https://origin.test/acme/acct/1"}\n',
  })
}

export function policyFor({ rootPin }: TestOrigin): Policy {
  return { root: { kind: 'simulated', spkiSha256: rootPin }, statuses: ['UpToDate'] }
}

export function fetchFrom({ app }: TestOrigin, network: Network) {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const copy = request.clone()
    return network(request, async () => app.fetch(copy))
  }
  return fetch
}

export function verifyFrom(origin: TestOrigin, network = wire, policy = policyFor(origin)) {
  const { now } = origin.services
  const fetch = fetchFrom(origin, network)
  return verifyOrigin({ baseUrl: BASE_URL, fetch, policy, random, now })
}

export function callFrom(
  origin: TestOrigin,
  trusted: TrustedOrigin,
  call: ActionCall,
  { network = wire, now = origin.services.now } = {},
) {
  const fetch = fetchFrom(origin, network)
  return sealedSvcAction({ trusted, url: BASE_URL, fetch, random, now }, call)
}

/** Options of a non-verifying client in ChainSecured mode, without its signer. */
export const sovereignAt = (origin: TestOrigin) => ({
  mode: 'sovereign' as const,
  baseUrl: BASE_URL,
  verify: 'never' as const,
  fetch: fetchFrom(origin, wire),
  now: origin.services.now,
  random,
})
