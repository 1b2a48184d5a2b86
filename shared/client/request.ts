/**
 * Internal HTTP interface of the client. `api/`, `triggers/` and `sovereign/` send their requests through a
 * `Requester`.
 */
import type { CallOptions } from './options.ts'

export type Question = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute path of the request, including the query. */
  path: string
  /** JSON body of the request. If both `json` and `body` are absent, the request has no body. */
  json?: unknown
  /** Raw body of the request, instead of `json`. It is used for a webhook event, which must be sent unmodified. */
  body?: string | Uint8Array<ArrayBuffer>
  /** Additional request headers, such as the signature of a webhook event. */
  headers?: Readonly<Record<string, string>>
  /** Credential of the request. Absent if it needs no credential. */
  credential?: Credential
  /**
   * Retry policy of the request.
   * - `idempotent`: the request may be sent again unchanged (reads, deletes).
   * - `once`: the request may be sent again under an Idempotency-Key, which is generated if the caller provides no key.
   * - `never`: the request is retried only after 429, or if no connection was established. It is not retried after 503,
   *   which guarantees that nothing was charged, but not that nothing was done.
   */
  repeat: 'idempotent' | 'once' | 'never'
  /** Expected response format. Default: `json`. A `csv` response is returned as text. */
  wants?: 'json' | 'csv'
  options?: CallOptions | undefined
}

/**
 * Credential of a request: an API key of the core API, a token of the trigger service, or a wallet's proof for billing.
 */
export type Credential =
  | { apiKey: string }
  | { token: string }
  /** Value of the header X-Wallet-Auth: base64 of `{typed_data, signature}`. */
  | { walletAuth: string }

export type Answered<Body> = {
  status: number
  headers: Headers
  body: Body
  requestId: string | undefined
}

export type Requester = {
  /** Sends a request to the origin. @throws {SvcError} of the class that matches the status */
  core<Body>(question: Question): Promise<Answered<Body>>
  /** Sends a request to the edge. @throws {SvcError} of the class that matches the status */
  edge<Body>(question: Question): Promise<Answered<Body>>
}
