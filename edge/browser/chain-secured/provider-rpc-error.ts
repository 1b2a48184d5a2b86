/**
 * EIP-1193 error, which the client converts to its own error class. Every code means that the request was not carried
 * out.
 */
export class ProviderRpcError extends Error {
  override name = 'ProviderRpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const refusalErrors = (request: 'signature' | 'transaction') => (why: string) =>
  new ProviderRpcError(UNSUPPORTED, `this page refused to request the ${request}: ${why}`)

/** EIP-1193: the user rejected the request. */
export const USER_REJECTED = 4001
/** EIP-1193: unauthorized. This page uses the code if the wallet has switched to another account. */
export const UNAUTHORIZED = 4100
/** EIP-1193: the wallet or this page does not support the method. */
export const UNSUPPORTED = 4200
