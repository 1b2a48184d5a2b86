import type { ClientPolicy, Verify } from './verification/client-policy.ts'
import type { OriginVerification } from './verification/origin-verification.ts'
import type { EthereumSigner } from './sovereign/signer.ts'

export type CommonOptions = {
  /** URL of the origin. TLS connections to the origin terminate inside the machine. */
  baseUrl: string
  /** URL of the edge, which serves the trigger operations. */
  triggersUrl?: string
  /** Agent token that a person has approved. The token authorizes requests to `/api` on the edge. */
  token?: string
  verify?: Verify
  policy?: ClientPolicy
  /**
   * Verification of another client of the same origin, to use instead of `verify` and `policy`. Sharing saves requests,
   * because an origin serves at most 30 quotes per minute to one address.
   */
  verification?: OriginVerification
  /** Target of sealed calls: the origin itself (default), or the edge at `triggersUrl`, which cannot read the calls. */
  sealedVia?: 'origin' | 'edge'
  /** Signal that aborts every call of this client. */
  signal?: AbortSignal
  retries?: RetryOptions
  fetch?: typeof fetch
  /** Returns the current time in Unix milliseconds. */
  now?: () => number
  random?: (bytes: number) => Uint8Array<ArrayBuffer>
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export type RetryOptions = {
  /** Maximum retries per call, not counting the first attempt. Default: 4. */
  times?: number
  /**
   * Upper bound of the first delay, in milliseconds. The bound doubles for each retry, up to 30 s. The actual delay is
   * a random value below the bound. Default: 250 ms.
   */
  firstMs?: number
}

export type ApiOptions = CommonOptions & {
  mode?: 'api'
  /** API key of the calls: the account key or a usage key. Not needed for public operations. */
  apiKey?: string
}

export type SovereignOptions = CommonOptions & {
  mode: 'sovereign'
  /** Admin wallet of the account: any EIP-1193 provider, or an ethers signer with a provider. */
  signer: EthereumSigner
  /** Usage key that runs actions and pays for them. Optional, because the account may not have a usage key yet. */
  usageKey?: string
  /** Expected address of the `AccountConfig` contract. Any other address that the service names is rejected. */
  contractAddress?: string
  /** Called for each step of a write: wallet prompt, transaction sent, mined, and seen by the origin. */
  onStep?: (step: Step) => void
}

export type Step =
  | { step: 'sign' | 'confirm'; what: string }
  | { step: 'sent'; what: string; transaction: string }
  | { step: 'mined'; what: string; transaction: string; block: number }
  | { step: 'seen'; what: string }

export type CallOptions = {
  signal?: AbortSignal
  /**
   * Idempotency key of the call. The service executes retries with the same key only once. Default: a random key, for
   * operations that support one.
   */
  idempotencyKey?: string
}
