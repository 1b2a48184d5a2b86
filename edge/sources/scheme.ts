/** Describes how a sender proves that a webhook comes from it. `schemes.ts` has one entry per sender. */

/** The parts of a webhook request that a sender can sign. */
export type SignedRequest = {
  method: string
  /** Public URL of the webhook with the query string of the request, regardless of proxies. */
  url: string
  /** By lower-case name. A header that occurs several times has all its values, separated by `, `. */
  headers: Readonly<Record<string, string>>
  contentType: string | null
  body: Uint8Array
}

export type Scheme = TokenScheme | SignatureScheme

/** The header contains the secret itself. */
export type TokenScheme = { by: 'token'; header: string }

export type SignatureScheme = {
  by: 'signature'
  algorithm: Algorithm
  signature: SignatureLocation
  /**
   * Signed text. `{body}`, `{url}`, `{method}` and `{timestamp}` are replaced by these parts of the request, and any
   * other name in braces by the header of this name. Senders with other rules have a function, which returns undefined
   * if the request does not have the sender's form.
   */
  content: string | ((request: SignedRequest) => Promise<Uint8Array | undefined>)
  timestamp?: TimestampLocation
}

/**
 * The formats of the secret: `text` is used as UTF-8. Public keys are in hex, base64 or PEM. `standard` secrets are
 * base64 after the prefix `whsec_` or `whpk_`.
 */
export type Algorithm =
  | { name: 'hmac'; hash: 'SHA-1' | 'SHA-256' | 'SHA-512'; key: 'text' | 'standard' }
  | { name: 'ed25519'; key: 'hex' | 'standard' }
  /** P-256 with SHA-256. Signatures are in DER. */
  | { name: 'ecdsa'; key: 'spki' }
  /** Keccak-256 of the content, which is followed by the secret. */
  | { name: 'keccak256'; key: 'text' }

export type SignatureLocation = {
  /** One header, several, or all headers with a name that matches. */
  header: string | readonly string[] | RegExp
  encoding: 'hex' | 'base64'
  /** Text before the signature. */
  prefix?: string
  /**
   * The header is a list of named values, as `t=1,v1=ab`. Values with other names are ignored, such as signatures of
   * other versions.
   */
  field?: { name: string; separator: ',' | ';' | ' '; equals: '=' | ',' }
}

/** A timestamp that the signature covers. */
export type TimestampLocation = { unit: 's' | 'ms' | 'date' } & (
  | { header: string }
  /** In the signature header. */
  | { field: string }
  /** Top-level member of the JSON body. */
  | { member: string }
)
