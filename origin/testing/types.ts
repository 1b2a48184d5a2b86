/** Types of `@svc-run/cli/test`. They have few imports, so that their declarations can be bundled. */
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { TransactionRecord } from '../../shared/wire/transactions.ts'
import type { FailureCode } from '../actions/run.ts'

export type ActionSource =
  /** Path of the action, relative to the working directory. TypeScript is built as by `svc build`. */
  | string
  /** Source of a script that defines `main`. */
  | { code: string }

export type RunActionOptions = {
  /** Params of `main`. */
  params?: Record<string, unknown>
  /** Wallets that the action may use, by names for the results. */
  wallets?: Record<string, TestWallet>
  /** Responses to the action's requests. */
  fetch?: Routes | Recording
  /**
   * Start of the fake clock: a date, or Unix milliseconds.
   * @default '2026-01-01T00:00:00Z'
   */
  now?: string | number | Date
  /** Chains for `Svc.Actions.sendTransaction`. By default, well-known chains without nodes. */
  chains?: TestChains
  /**
   * Limits in milliseconds. Wall time passes on the fake clock only.
   * @default { wallMs: 120_000, cpuMs: 30_000 }
   */
  limits?: { wallMs?: number; cpuMs?: number }
}

/** A wallet with a throwaway key, which depends only on the wallet's name and on whether it has a policy. */
export type TestWallet = {
  readonly name: string
  /** EIP-55 address. */
  readonly address: string
  /** Wallet ID: the address padded to 32 bytes, in lower-case 0x hex. */
  readonly pkpId: string
  /** 0x hex of 32 bytes. Anyone can derive it from the name: never send funds to a test wallet. */
  readonly privateKey: string
}

/** A scripted response. At most one of `json`, `text`, `bytes` and `networkError` is set. */
export type Reply = {
  /** @default 200 */
  status?: number
  statusText?: string
  headers?: Record<string, string>
  json?: unknown
  text?: string
  bytes?: Uint8Array
  /** Time until the response arrives, on the fake clock. */
  delayMs?: number
  /** Makes `fetch` reject with a TypeError that has this message. */
  networkError?: string
}

/** A request as a handler receives it. */
export type ActionRequest = {
  method: string
  url: string
  /** Names are in lower case. */
  headers: Record<string, string>
  /** The body as text; empty without a body. */
  body: string
  /** @throws {SyntaxError} if the body is not JSON */
  json(): unknown
}

export type Handler = (request: ActionRequest) => Reply | Response | Promise<Reply | Response>

/**
 * Responses by route. A route is `METHOD url`, or `url` for any method. `*` in the URL stands for any text. The first
 * route that matches is used. A list contains one response for each request, in order.
 */
export type Routes = Readonly<Record<string, Reply | readonly Reply[] | Handler>>

/** Responses from a file, see `recording`. */
export type Recording = { readonly file: string }

export type RecordingOptions = {
  /**
   * Replaces secrets in URLs and bodies before they are recorded, and before requests are compared with recorded ones.
   * Request headers are never recorded, and values of URL parameters such as `api_key` are always replaced.
   */
  redact?: (text: string) => string
}

/** Without `rpcUrl`, transactions are signed and recorded, and a wait for one reports it as mined. */
export type TestChain = { chainId: number; rpcUrl?: string }

/** By the name that actions use. */
export type TestChains = Readonly<Record<string, TestChain>>

export type SentActionRequest = {
  method: string
  url: string
  /** Names are in lower case. */
  headers: Record<string, string>
  /** The body as text; empty without a body. */
  body: string
  /** Absent if there was no HTTP response. */
  status?: number
}

/** A signature of a wallet. `wallet` is the wallet's name in the options. */
export type TestSignature = { wallet: string } &
  /** `message` is text, or 0x hex if the bytes are not UTF-8. */
  (
    | { kind: 'message'; message: string; signature: string }
    | { kind: 'typed_data'; domain: unknown; types: unknown; value: unknown; signature: string }
    /** `signature` is the signed transaction. */
    | { kind: 'transaction'; transaction: unknown; signature: string }
    | { kind: 'digest'; digest: string; signature: string }
  )

/** A transaction as `Svc.Actions.transaction` returns it, with the wallet's name in the options. */
export type TestTransaction = TransactionRecord & { wallet: string }

export type ActionRun = {
  /** What `main` returned. Undefined if the run failed. */
  response: unknown
  /** Why the run failed. Undefined if it did not. */
  error: { code: FailureCode; message: string; stack: string } | undefined
  logs: LogLine[]
  /** Requests in the order in which they were sent, including redirects. */
  requests: SentActionRequest[]
  signatures: TestSignature[]
  /** Transactions that the action asked the service to send. */
  transactions: TestTransaction[]
  cid: string
  /** On the fake clock. */
  durationMs: number
  cpuMs: number
}

/** Members of a signature. */
export type SignatureMatch = {
  wallet?: unknown
  kind?: unknown
  message?: unknown
  domain?: unknown
  types?: unknown
  value?: unknown
  transaction?: unknown
  digest?: unknown
  signature?: unknown
}

/** Members of a transaction. Addresses are compared in any case. `value` is in wei. */
export type TransactionMatch = {
  [Name in keyof TestTransaction]?: unknown
}
