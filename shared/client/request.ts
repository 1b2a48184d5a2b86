/** How every part of the client asks over HTTP: `Requester` is what `api/`, `triggers/` and `sovereign/` are given. */
import type { CallOptions } from './options.ts'

export type Question = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root, with its query. */
  path: string
  /** Of JSON; absent, there is no body. */
  json?: unknown
  /** In place of `json`: a webhook's event, sent byte for byte. */
  body?: string | Uint8Array<ArrayBuffer>
  /** Beside those that the requester sends itself: a webhook's signature. */
  headers?: Readonly<Record<string, string>>
  /** Sent as it is; absent, the question needs no credential. */
  credential?: Credential
  /**
   * Whether a question whose answer was lost may be sent again. `idempotent`: it may, as it is (reads, deletes).
   * `once`: under an Idempotency-Key, which is made where none is given. `never`: only after 429, and where no
   * connection was made. Not after 503: it says that nothing was charged, not that nothing was done.
   */
  repeat: 'idempotent' | 'once' | 'never'
  /** `json` unless said; `csv` is given as text. */
  wants?: 'json' | 'csv'
  options?: CallOptions | undefined
}

/** A key of the core API, a token of the trigger service, or a wallet's proof for billing. */
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
  /** Of the origin. @throws {SvcError} of the class that the status names */
  core<Body>(question: Question): Promise<Answered<Body>>
  /** Of the edge. @throws {SvcError} */
  edge<Body>(question: Question): Promise<Answered<Body>>
}
