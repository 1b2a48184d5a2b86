import {
  CHECKSUMS_FILE,
  EVIDENCE_BUNDLE_PATH,
  type EvidenceBundleResponse,
} from '../../shared/attestation/evidence.ts'
import type { OriginServices } from '../services.ts'
import { TeeUnavailableError } from '../tee/provider.ts'
import { parseNonce } from './attestation.ts'
import { resolveClientAddress } from './client-address.ts'
import type { OriginApp } from './operation.ts'

/**
 * Serves all evidence in one response. A client behind a load balancer can thus verify the machine at the end of its
 * connection, although other connections lead to other machines.
 */
export function mountEvidenceBundle(app: OriginApp, services: OriginServices): void {
  app.get(EVIDENCE_BUNDLE_PATH, async (context) => {
    const { evidence, freshQuotes, tee } = services
    const nonces = context.req.queries('nonce')
    const address = resolveClientAddress(context)
    // Read once, so that all parts are from the same set even if the evidence is renewed in the meantime.
    const { files, attestation, info } = evidence.current()
    const checksums = files.get(CHECKSUMS_FILE)!
    const [fresh, collateral] = await Promise.all([
      nonces && freshQuotes.quoteFiles(parseNonce(nonces), checksums, address),
      collateralIfAvailable(tee),
    ])
    const { app_id, compose_hash, tcb_info } = info
    const bundle: EvidenceBundleResponse = {
      attestation,
      ...(fresh && { fresh }),
      info: { app_id, compose_hash, tcb_info: { app_compose: tcb_info.app_compose } },
      files: Object.fromEntries(files),
      ...(collateral && { collateral }),
    }
    return context.json(bundle, 200, { 'cache-control': 'no-store' })
  })
}

/** A verifier may have collateral of its own, so the other evidence is served without it. */
async function collateralIfAvailable(tee: OriginServices['tee']) {
  try {
    return await tee.collateral()
  } catch (error) {
    if (error instanceof TeeUnavailableError) return undefined
    throw error
  }
}
