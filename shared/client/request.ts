/** `api/`, `triggers/` and `sovereign/` send their requests through a `Requester`. */
import type { CallOptions } from './options.ts'

export type ClientRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute, including the query. */
  path: string
  /** If both `json` and `body` are absent, the request has no body. */
  json?: unknown
  /** Raw body instead of `json`, for a webhook event, which must be sent unmodified. */
  body?: string | Uint8Array<ArrayBuffer>
  /** Additional headers, such as the signature of a webhook event. */
  headers?: Readonly<Record<string, string>>
  credential?: Credential
  /**
   * - `idempotent`: may be sent again unchanged (reads, deletes).
   * - `once`: may be sent again under an Idempotency-Key, which is generated if the caller provides no key.
   * - `never`: retried only after 429, or if no connection was established. Not retried after 503, which guarantees
   * that nothing was charged, but not that nothing was done.
   */
  repeat: 'idempotent' | 'once' | 'never'
  /** Default: `json`. A `csv` response is returned as text. */
  wants?: 'json' | 'csv'
  options?: CallOptions | undefined
}

/** An API key of the core API, a token of the trigger service, or a wallet's proof for billing. */
export type Credential =
  | { apiKey: string }
  | { token: string }
  /** Header X-Wallet-Auth: base64 of `{typed_data, signature}`. */
  | { walletAuth: string }

export type ClientResponse<Body> = {
  status: number
  headers: Headers
  body: Body
  requestId: string | undefined
}

export type Requester = {
  /** @throws {SvcError} of the class that matches the status */
  core<Body>(request: ClientRequest): Promise<ClientResponse<Body>>
  /** @throws {SvcError} of the class that matches the status */
  edge<Body>(request: ClientRequest): Promise<ClientResponse<Body>>
}
