/** Options of a client. All of its dependencies on the runtime can be replaced. */
import type { Measurements, Policy } from '../attestation/policy.ts'
import type { OriginVerification } from './verification/origin-verification.ts'
import type { EthereumSigner } from './sovereign/signer.ts'

/**
 * When the origin's evidence is verified.
 * - `once`: before the first key is sent, and again after an hour. The application is pinned on first use: a different
 *   one is rejected later.
 * - `required`: the same, but the policy must name the application (`composeHashes`) and the accepted machines
 *   (`measurements`, or `'open'`). The base URL must be one that the evidence names. Actions are sealed by default.
 * - `never`: relies on TLS alone.
 */
export type Verify = 'once' | 'required' | 'never'

/**
 * Requirements on the evidence. Default: Intel's root and an up-to-date platform. `measurements: 'open'` accepts any
 * firmware and operating system.
 */
export type ClientPolicy = Partial<Omit<Policy, 'measurements'>> & {
  measurements?: readonly Measurements[] | 'open'
}

export type CommonOptions = {
  /** The origin's own host, where TLS terminates inside the machine. */
  baseUrl: string
  /** The edge, for triggers. */
  triggersUrl?: string
  /** An agent token that a person has approved. Authorizes requests under `/api` of the edge. */
  token?: string
  verify?: Verify
  policy?: ClientPolicy
  /**
   * The `verification` of another client of this origin, instead of `verify` and `policy`, so that both share its
   * results. An origin serves at most 30 quotes per minute to one address.
   */
  verification?: OriginVerification
  /**
   * Host that receives sealed calls: the origin itself (default), or the edge at `triggersUrl`, which cannot read them.
   */
  sealedVia?: 'origin' | 'edge'
  /** Aborts every call of this client. */
  signal?: AbortSignal
  retries?: RetryOptions
  fetch?: typeof fetch
  /** Unix milliseconds. */
  now?: () => number
  random?: (bytes: number) => Uint8Array<ArrayBuffer>
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export type RetryOptions = {
  /** Retries per call, not counting the first attempt. Default: 4. */
  times?: number
  /** Upper bound of the first delay. Doubles for each retry, with jitter, up to 30 s. Default: 250 ms. */
  firstMs?: number
}

export type ApiOptions = CommonOptions & {
  mode?: 'api'
  /** The account key or a usage key. Not needed for public operations. */
  apiKey?: string
}

export type SovereignOptions = CommonOptions & {
  mode: 'sovereign'
  /** The admin wallet: any EIP-1193 provider, or an ethers signer with a provider. */
  signer: EthereumSigner
  /** Runs actions and pays for them. Optional, because the account may not have one yet. */
  usageKey?: string
  /** Expected address of the `AccountConfig` contract. If set, any other address that the service names is rejected. */
  contractAddress?: string
  /** Called for each step of a write: wallet prompt, sent, mined, seen by the origin. */
  onStep?: (step: Step) => void
}

export type Step =
  | { step: 'sign' | 'confirm'; what: string }
  | { step: 'sent'; what: string; transaction: string }
  | { step: 'mined'; what: string; transaction: string; block: number }
  | { step: 'seen'; what: string }

/** Options of a single call. */
export type CallOptions = {
  signal?: AbortSignal
  /** Deduplicates retries of a write. Default: a random key, for operations that support one. */
  idempotencyKey?: string
}
