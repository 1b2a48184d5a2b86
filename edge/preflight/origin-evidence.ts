import { EvidenceFetchError } from '../../shared/attestation/fetch-bounded.ts'
import { EvidenceRejectedError } from '../../shared/attestation/require-verified.ts'
import { causeCode } from '../../shared/errors/cause-code.ts'
import { type Check, fault, ok } from '../../shared/preflight/checks.ts'
import { GovernanceUnavailableError } from '../trust/governance.ts'
import type { TrustSettings } from '../trust/trust-settings.ts'
import { verifyOriginEvidence } from '../trust/verify-origin.ts'

const NAME = 'origin'

/** Verifies the origin as the edge does before its first request. */
export async function checkOriginEvidence(
  settings: TrustSettings & { ORIGIN_URL: string },
  send: typeof fetch,
  now: () => number,
): Promise<Check> {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
  try {
    const { report } = await verifyOriginEvidence({ settings, fetch: send, random, now })
    const { verdict, appId, composeHash } = report
    return ok(NAME, `${verdict}, app ID ${appId}, compose hash ${composeHash}`)
  } catch (error) {
    return fault(NAME, reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof EvidenceRejectedError)
    return `the evidence fails the rule "${error.rule}": ${error.reason}`
  if (error instanceof GovernanceUnavailableError) return error.message
  // The causes are errors of `fetch`, such as ENOTFOUND, or an untrusted certificate.
  if (error instanceof EvidenceFetchError)
    return error.cause === undefined ? error.message : `ORIGIN_URL: ${causeCode(error.cause)}`
  return causeCode(error)
}
