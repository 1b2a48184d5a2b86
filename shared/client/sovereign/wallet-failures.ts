/** Errors of a wallet or its chain. Nothing was sent unless a class says otherwise. */
import { SvcError } from '../failures.ts'

/** `signer` cannot sign and send. */
export class NoWallet extends SvcError {
  override name = 'NoWallet'
  constructor(message: string) {
    const fix = 'Give an EIP-1193 provider, or a signer of ethers v6 that is connected to a node.'
    super(message, { code: 'no_wallet', fix })
  }
}

/** The owner of the wallet rejected the request (EIP-1193, 4001). */
export class WalletRefused extends SvcError {
  override name = 'WalletRefused'
  /** The rejected request. */
  readonly what: string
  constructor(what: string) {
    super(`The wallet’s owner refused: ${what}.`, {
      code: 'wallet_refused',
      fix: 'Ask again when its owner wants it; nothing was signed or sent.',
    })
    this.what = what
  }
}

/** The wallet itself failed, or does not support the request. */
export class WalletFailed extends SvcError {
  override name = 'WalletFailed'
  constructor(what: string, reason: string) {
    super(`The wallet did not ${what}: ${reason}`, {
      code: 'wallet_failed',
      fix: 'Look at the wallet, and ask again; nothing was signed or sent.',
    })
  }
}

/** The wallet is connected to a different chain than the accounts. */
export class WrongChain extends SvcError {
  override name = 'WrongChain'
  readonly walletChainId: bigint
  readonly nodeChainId: bigint
  constructor(walletChainId: bigint, nodeChainId: bigint) {
    super(`The wallet is on chain ${walletChainId}; the accounts are on chain ${nodeChainId}.`, {
      code: 'wrong_chain',
      fix: `Add chain ${nodeChainId} to the wallet, or choose it there, and ask again.`,
    })
    this.walletChainId = walletChainId
    this.nodeChainId = nodeChainId
  }
}
