/** Wallets whose raw keys the test knows, on one chain. */
import { id, SigningKey, Transaction } from 'ethers'
import type { Account, Principal } from '../../../../origin/accounts/account.ts'
import type {
  TransactionChain,
  TransactionChains,
  UnsignedTransaction,
} from '../../../../origin/transactions/types.ts'
import { CHAIN, CHAIN_ID, chainsOf, connect, TestSigner, walletOf } from '../engine.ts'

export const ACCOUNT_HASH = id('account of the campaign')

/** CID of an action, which nothing runs. */
export const ACTION_CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

export type SendingWallet = {
  /** In hex. */
  key: string
  /** In lower-case hex. */
  address: string
  pkpId: string
}

export function sendingWallets(count: number, seed: number): SendingWallet[] {
  return Array.from({ length: count }, (_, index) => {
    const key = id(`wallet ${seed} ${index}`)
    const { address, pkpId } = walletOf(key)
    return { key, address, pkpId }
  })
}

/** The account's owner. */
export function ownerOf(wallets: readonly SendingWallet[]): Principal {
  const texts = { name: '', description: '' }
  const account: Account = {
    hash: ACCOUNT_HASH,
    managed: true,
    adminWallet: '',
    ...texts,
    createdAt: 0,
    hashes: new Map(),
    wallets: new Map(
      wallets.map(({ pkpId }) => [pkpId, { pkpId, derivationPath: id(pkpId), ...texts }]),
    ),
    groups: new Map(),
    usageKeys: new Map(),
    actions: new Map(),
  }
  return { account, keyHash: ACCOUNT_HASH }
}

export function signerOf(wallets: readonly SendingWallet[]): TestSigner {
  const signer = new TestSigner()
  for (const { key } of wallets) signer.add(walletOf(key))
  return signer
}

/** Signs a transaction that the service knows nothing of. */
export function signRaw(key: string, transaction: UnsignedTransaction) {
  const unsigned = Transaction.from({ type: 2, ...transaction })
  unsigned.signature = new SigningKey(key).sign(unsigned.unsignedHash)
  return { hash: unsigned.hash!, raw: unsigned.serialized }
}

/** The only chain, read through these RPC endpoints. */
export function onlyChain(
  urls: readonly string[],
  { finality, pollMs }: Pick<TransactionChain, 'finality' | 'pollMs'>,
): TransactionChains {
  return chainsOf({ name: CHAIN, chainId: CHAIN_ID, finality, pollMs, provider: connect(urls) })
}
