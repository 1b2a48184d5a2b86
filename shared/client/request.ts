/** The client's internal HTTP interface: `api/`, `triggers/` and `sovereign/` receive a `Requester`. */
import type { CallOptions } from './options.ts'

export type Question = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute path with query. */
  path: string
  /** JSON body. If this and `body` are absent, the request has no body. */
  json?: unknown
  /** Raw body instead of `json`, for a webhook event that must be sent unmodified. */
  body?: string | Uint8Array<ArrayBuffer>
  /** Additional headers, such as a webhook's signature. */
  headers?: Readonly<Record<string, string>>
  /** Absent if the request needs no credential. */
  credential?: Credential
  /**
   * Retry policy after a lost response. `idempotent`: may be sent again unchanged (reads, deletes). `once`: may be sent
   * again under an Idempotency-Key, generated if none is given. `never`: retried only after 429, and if no connection
   * was made. 503 does not qualify: it guarantees that nothing was charged, not that nothing was done.
   */
  repeat: 'idempotent' | 'once' | 'never'
  /** Default: `json`. `csv` is returned as text. */
  wants?: 'json' | 'csv'
  options?: CallOptions | undefined
}

/** A core API key, a trigger service token, or a wallet's proof for billing. */
export type Credential =
  | { apiKey: string }
  | { token: string }
  /** Base64 of `{typed_data, signature}`: the header X-Wallet-Auth. */
  | { walletAuth: string }

export type Answered<Body> = {
  status: number
  headers: Headers
  body: Body
  requestId: string | undefined
}

export type Requester = {
  /** Sends to the origin. @throws {SvcError} of the class that matches the status */
  core<Body>(question: Question): Promise<Answered<Body>>
  /** Sends to the edge. @throws {SvcError} */
  edge<Body>(question: Question): Promise<Answered<Body>>
}
