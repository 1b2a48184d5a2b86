import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import type { EvidenceBundle } from '../../attestation/evidence.ts'
import type { ApiClient } from '../../client/api/client.ts'
import { decodeBase64url } from '../../encoding/base64url.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { parsePolicy } from '../../policies/policy.ts'
import type { WalletStatement } from '../../receipts/wallet-statement.ts'
import { askGovernance, GovernanceUnknownError } from '../verify/governance.ts'
import type { WalletProof } from './bundle.ts'
import { readChain } from './read-chain.ts'
import { ProofRefusedError } from './proof-error.ts'

export type ProofSources = {
  /** Lower-case address. */
  wallet: string
  client: ApiClient
  baseUrl: string
  /** Must trust the certificate authority of the deployment. */
  fetch: typeof globalThis.fetch
  rpcUrl: string
  /** JSON of policies to include, in addition to those that the service returns. */
  policies: readonly string[]
  receipts: readonly string[]
  timeoutMs: number
  now: () => number
  random: (length: number) => Uint8Array<ArrayBuffer>
}

const NONCE_BYTES = 32

/**
 * Collects a proof about a wallet. Does not verify it, so that the same code verifies new and saved proofs.
 * @throws {EvidenceFetchError | NodeError | SvcError}
 * @throws {ProofRefusedError} if the wallet has no policy
 */
export async function gatherProof(sources: ProofSources): Promise<WalletProof> {
  const { wallet, client, receipts } = sources
  const [evidence, stated] = await Promise.all([
    gatherEvidence(sources),
    client.getWalletStatement({ pkp_id: wallet }),
  ])
  const statement = payloadOf(stated.statement)
  if (stated.derivation !== 'policy' || !statement)
    throw new ProofRefusedError(
      'exportable',
      'the key of the wallet is not derived for policies: actions can get it',
    )
  const [chain, documents] = await Promise.all([
    readChain({ url: sources.rpcUrl, fetch: globalThis.fetch }, statement),
    gatherDocuments(sources),
  ])
  return {
    version: 1,
    wallet,
    evidence,
    statement: stated.statement,
    chain,
    documents,
    receipts: [...receipts],
  }
}

async function gatherEvidence({
  baseUrl,
  fetch,
  rpcUrl,
  timeoutMs,
  now,
  random,
}: ProofSources): Promise<EvidenceBundle> {
  const bundle: EvidenceBundle = await fetchEvidence({
    baseUrl,
    fetch,
    nonce: random(NONCE_BYTES),
    now,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const [appId, composeHash] = [bundle.info.app_id, bundle.info.compose_hash].map((hex) =>
    hex.replace(/^0x/i, '').toLowerCase(),
  )
  try {
    bundle.governance = await askGovernance(rpcUrl, appId!, composeHash!, globalThis.fetch)
  } catch (error) {
    // Without the governance contract's answer, the report lists this check as open.
    if (!(error instanceof GovernanceUnknownError)) throw error
  }
  return bundle
}

async function gatherDocuments({ client, wallet, policies }: ProofSources): Promise<string[]> {
  const { policy, pending } = await client.getWalletPolicy({ pkp_id: wallet })
  const held = [policy, ...(pending ? [pending.policy] : [])].map((document) =>
    JSON.stringify(document),
  )
  return [...new Set([...held, ...policies].map((text) => parsePolicy(text).canonical))]
}

/** Decodes a statement without verifying it, to find the contract. */
function payloadOf(statement: string): WalletStatement | undefined {
  const bytes = decodeBase64url(statement.split('.')[1] ?? '')
  return bytes && (tryParseJson(new TextDecoder().decode(bytes)) as WalletStatement | undefined)
}
