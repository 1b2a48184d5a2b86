import type { Purpose } from '../../crypto/typed-data.ts'
import { MINUTE_MS } from '../../durations.ts'
import { Unauthorized } from '../failures/by-status.ts'
import type { Credential, ClientRequest, Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import type { Deployment } from './deployment.ts'
import { addressOf, signProof } from './sign.ts'
import type { WalletAdapter } from './signer.ts'

/**
 * Time for which a proof is cached. The service accepts a proof for 300 s by its own clock. The remaining minute allows
 * for clock skew and latency.
 */
const PROOF_CACHE_MS = 4 * MINUTE_MS

type Parts = Pick<RuntimeEnvironment, 'now'> & {
  purpose: Extract<Purpose, 'BillingAuth' | 'SendTransactions'>
  wallet: WalletAdapter
  deployment: () => Promise<Deployment>
  /** Called before the wallet is asked to sign. */
  onSign: () => void
}

type CachedProof = {
  /**
   * Returns a proof, which is cached in memory only, so that the owner of the wallet is not prompted for each request.
   * Signs a new proof if the last one is about to expire or was rejected, or if the wallet's address has changed.
   */
  credential(): Promise<Credential>
  /**
   * Returns a requester that removes a rejected proof from the cache, because the proof may have expired by the
   * service's clock.
   */
  evictingRejected(requester: Requester): Requester
}

/** Proof that is sent in `X-Wallet-Auth`. */
export function cachedProof({ purpose, wallet, deployment, now, onSign }: Parts): CachedProof {
  let cached: { address: string; until: number; credential: Promise<Credential> } | undefined
  const sign = async (): Promise<Credential> => {
    const { chainId } = await deployment()
    onSign()
    const proof = await signProof(wallet, { purpose, chainId, now })
    return { walletAuth: btoa(JSON.stringify(proof)) }
  }
  const credential = async () => {
    const address = await addressOf(wallet)
    if (cached && cached.address === address && now() < cached.until) return cached.credential
    const signing = { address, until: now() + PROOF_CACHE_MS, credential: sign() }
    cached = signing
    try {
      return await signing.credential
    } catch (error) {
      if (cached === signing) cached = undefined
      throw error
    }
  }
  const core = async <Body>(requester: Requester, question: ClientRequest) => {
    const used = cached
    try {
      return await requester.core<Body>(question)
    } catch (error) {
      const isProof = question.credential !== undefined && 'walletAuth' in question.credential
      if (isProof && error instanceof Unauthorized && cached === used) cached = undefined
      throw error
    }
  }
  return {
    credential,
    evictingRejected: (requester) => ({
      core: (question) => core(requester, question),
      edge: (question) => requester.edge(question),
    }),
  }
}
