/** Errors of wallets. Nothing was sent, unless the documentation of a class states otherwise. */
import { SvcError } from '../failures/svc-error.ts'

/** The given `signer` cannot sign data and send transactions. */
export class NoWallet extends SvcError {
  override name = 'NoWallet'
  constructor(message: string) {
    const fix = 'Use an EIP-1193 provider, or an ethers v6 signer that is connected to a node.'
    super(message, { code: 'no_wallet', fix })
  }
}

/** The owner of the wallet rejected the request (EIP-1193, 4001). */
export class WalletRefused extends SvcError {
  override name = 'WalletRefused'
  /** The request that the owner rejected. */
  readonly what: string
  constructor(what: string) {
    super(`The wallet’s owner rejected the request: ${what}.`, {
      code: 'wallet_refused',
      fix: 'Retry once the owner agrees. Nothing was signed or sent.',
    })
    this.what = what
  }
}

/** The wallet failed, or does not support the request. */
export class WalletFailed extends SvcError {
  override name = 'WalletFailed'
  constructor(what: string, reason: string) {
    super(`The wallet did not ${what}: ${reason}`, {
      code: 'wallet_failed',
      fix: 'Check the wallet and retry. Nothing was signed or sent.',
    })
  }
}

/** The wallet is not connected to the chain of the accounts. */
export class WrongChain extends SvcError {
  override name = 'WrongChain'
  readonly walletChainId: bigint
  readonly nodeChainId: bigint
  constructor(walletChainId: bigint, nodeChainId: bigint) {
    super(`The wallet is on chain ${walletChainId}; the accounts are on chain ${nodeChainId}.`, {
      code: 'wrong_chain',
      fix: `Switch the wallet to chain ${nodeChainId}, adding it if necessary, and retry.`,
    })
    this.walletChainId = walletChainId
    this.nodeChainId = nodeChainId
  }
}
