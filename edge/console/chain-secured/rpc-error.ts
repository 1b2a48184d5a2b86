/** Errors as wallets give them (EIP-1193), which the client's failures are made of: what has such a code was not done. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The owner said no. */
export const REFUSED = 4001
/** Of an account that the wallet does not let be used, here: that it is not on. */
export const UNAUTHORIZED = 4100
/** Nobody may ask for that. */
export const UNSUPPORTED = 4200
