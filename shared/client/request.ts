import type { CallOptions } from './options.ts'

export type ClientRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  json?: unknown
  /** Raw body to send instead of `json`, for a webhook event, which must be sent unmodified. */
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Readonly<Record<string, string>>
  credential?: Credential
  /**
   * Whether the request may be retried:
   * - `idempotent`: may be sent again unchanged (reads, deletes).
   * - `once`: may be sent again under an Idempotency-Key, which is generated if the caller provides no key.
   * - `never`: retried only after 429, or if no connection was established. Not retried after 503, which guarantees
   * only that nothing was charged, but the request may still have had an effect.
   */
  repeat: 'idempotent' | 'once' | 'never'
  /** Expected format of the response. Default: `json`. A `csv` response is returned as text. */
  wants?: 'json' | 'csv'
  options?: CallOptions | undefined
}

export type Credential =
  | { apiKey: string }
  | { token: string }
  /** Value of the header X-Wallet-Auth: base64 of `{typed_data, signature}`. */
  | { walletAuth: string }

export type ClientResponse<Body> = {
  status: number
  headers: Headers
  body: Body
  requestId: string | undefined
}

export type Requester = {
  /** Sends a request to the origin. @throws {SvcError} of the class that matches the status */
  core<Body>(request: ClientRequest): Promise<ClientResponse<Body>>
  /** Sends a request to the edge. @throws {SvcError} of the class that matches the status */
  edge<Body>(request: ClientRequest): Promise<ClientResponse<Body>>
}
