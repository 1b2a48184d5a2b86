/**
 * Wallet error as defined by EIP-1193, from which the client builds its own errors. Any of these codes means that the
 * request was not carried out.
 */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The user rejected the request. */
export const REFUSED = 4001
/** The account is not authorized; here, the wallet has switched to another account. */
export const UNAUTHORIZED = 4100
/** The wallet or this page does not support the method. */
export const UNSUPPORTED = 4200
