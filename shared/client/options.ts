/** What a client is made of; everything that it takes from around it can be given another. */
import type { Measurements, Policy } from '../attestation/policy.ts'
import type { OriginVerification } from './verification/origin-verification.ts'
import type { EthereumSigner } from './sovereign/signer.ts'

/**
 * When the origin's evidence is looked at.
 * - `once`: before the first key is sent, and again an hour later. Which application it is, is kept from the first time
 *   on: another one is refused.
 * - `required`: the same, and the policy has to name the application (`composeHashes`) and say which machines are taken
 *   (`measurements`, or that they are open); the base URL has to be one that the evidence names; actions go sealed.
 * - `never`: TLS alone.
 */
export type Verify = 'once' | 'required' | 'never'

/**
 * What evidence has to show, beyond the default: Intel's root, and a platform that is up to date.
 * `measurements: 'open'` says that any firmware and operating system is taken.
 */
export type ClientPolicy = Partial<Omit<Policy, 'measurements'>> & {
  measurements?: readonly Measurements[] | 'open'
}

export type CommonOptions = {
  /** The origin's own host: TLS ends inside the machine. */
  baseUrl: string
  /** The edge, for triggers. */
  triggersUrl?: string
  /** A token that a human has approved: authorizes what is under `/api` of the edge. */
  token?: string
  verify?: Verify
  policy?: ClientPolicy
  /**
   * `verification` of another client of this origin, in the place of `verify` and `policy`: what it knows serves both. An
   * origin makes one address 30 quotes a minute.
   */
  verification?: OriginVerification
  /**
   * Who passes sealed calls on: the origin's own host (the default), or the edge at `triggersUrl`, which reads nothing
   * of them.
   */
  sealedVia?: 'origin' | 'edge'
  /** Ends every call of this client. */
  signal?: AbortSignal
  retries?: RetryOptions
  fetch?: typeof fetch
  /** Unix milliseconds. */
  now?: () => number
  random?: (bytes: number) => Uint8Array<ArrayBuffer>
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export type RetryOptions = {
  /** Of one call, after the first try; 4 by default. */
  times?: number
  /** Of the first wait; each next is twice as long, with jitter, up to 30 s. 250 ms by default. */
  firstMs?: number
}

export type ApiOptions = CommonOptions & {
  mode?: 'api'
  /** The account key, or a usage key. Absent for what needs none. */
  apiKey?: string
}

export type SovereignOptions = CommonOptions & {
  mode: 'sovereign'
  /** The admin wallet: any EIP-1193 provider, or a signer of ethers that has a provider. */
  signer: EthereumSigner
  /** Runs actions, and pays for them. Absent until one is made. */
  usageKey?: string
  /** Of the `AccountConfig` contract, where it is known from elsewhere: another one that the service names is refused. */
  contractAddress?: string
  /** Told of every step of a write: asked of the wallet, sent, mined, seen by the origin. */
  onStep?: (step: Step) => void
}

export type Step =
  | { step: 'sign' | 'confirm'; what: string }
  | { step: 'sent'; what: string; transaction: string }
  | { step: 'mined'; what: string; transaction: string; block: number }
  | { step: 'seen'; what: string }

/** Of every call. */
export type CallOptions = {
  signal?: AbortSignal
  /** Makes a write once, however often it is sent; a random one by default where the API takes one. */
  idempotencyKey?: string
}
