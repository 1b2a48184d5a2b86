import type { Report } from '../../attestation/report.ts'
import type { Verify } from './client-policy.ts'
import { EvidenceChanged } from './failures.ts'

/**
 * The origin's application, which is pinned on first use for the lifetime of the client. Under `verify: 'required'`,
 * the policy lists the accepted compose hashes, so an upgrade to another accepted hash is allowed.
 */
export class PinnedApplication {
  readonly #pinsCompose: boolean
  #seen: Application | undefined

  constructor(verify: Verify) {
    this.#pinsCompose = verify !== 'required'
  }

  /** @throws {EvidenceChanged} if the report passed, but is for another application */
  require(report: Report): void {
    const found = applicationIn(report)
    const seen = (this.#seen ??= found)
    for (const field of ['root', 'app id', 'compose hash'] as const)
      if (found[field] !== seen[field] && (field !== 'compose hash' || this.#pinsCompose))
        throw new EvidenceChanged(field, seen[field], found[field])
  }
}

type Application = Record<EvidenceChanged['field'], string>

function applicationIn({ root, appId, composeHash }: Report): Application {
  if (!root || appId === undefined || composeHash === undefined)
    throw new Error('evidence that passed names its root and its application')
  return { root: root.spkiSha256, 'app id': appId, 'compose hash': composeHash }
}
