/**
 * Wallet error as defined by EIP-1193, which the client converts to its own errors. Every code in this file means that
 * the request was not carried out.
 */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Error code of EIP-1193: the user rejected the request. */
export const REFUSED = 4001
/** Error code of EIP-1193: the account is not authorized. Used if the wallet has switched to another account. */
export const UNAUTHORIZED = 4100
/** Error code of EIP-1193: the wallet or this page does not support the method. */
export const UNSUPPORTED = 4200
