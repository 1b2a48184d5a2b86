/**
 * The built-in action. A usage key may send transactions over HTTP with the wallets with which it may run this action,
 * so this right is granted in groups, like any other (docs/transactions.md).
 */
export const SEND_TRANSACTION_SOURCE = `async function main(params) {
  return Svc.Actions.sendTransaction(params)
}
`

/** CID of `SEND_TRANSACTION_SOURCE`. A constant, because groups in the contract name it. */
export const SEND_TRANSACTION_CID = 'QmdJWFcrPkiniH9MJdge2dY3x2YgkUHWt1rWLY5x4REcXx'
