/**
 * Signs proofs for the service with the wallet (`shared/crypto/typed-data.ts`). Each proof is valid for one purpose
 * only.
 */
import { type ProofStatement, type TypedData, typedDataOf } from '../../crypto/typed-data.ts'
import { isUserRejection, notExecutedReason } from './provider-errors.ts'
import type { WalletAdapter } from './signer.ts'
import { NoWallet, WalletFailed, WalletRefused } from './wallet-failures.ts'

type Proof = { typed_data: TypedData; signature: string }

export async function signProof(
  wallet: WalletAdapter,
  { now, ...claim }: Pick<ProofStatement, 'purpose' | 'terms' | 'chainId'> & { now: () => number },
): Promise<Proof> {
  const address = await addressOf(wallet)
  const issuedAt = Math.floor(now() / 1000)
  const typed_data = typedDataOf({ ...claim, address, issuedAt })
  return { typed_data, signature: await signWith(wallet, address, typed_data) }
}

/** Returns the wallet's address for `typed_data.message.address`. @throws {NoWallet | WalletRefused | WalletFailed} */
export async function addressOf(wallet: WalletAdapter): Promise<string> {
  return withWalletErrors('return its address', () => wallet.address())
}

async function signWith(
  wallet: WalletAdapter,
  address: string,
  typedData: TypedData,
): Promise<string> {
  const named = typedData.message.address
  if (named.toLowerCase() !== address.toLowerCase())
    throw new NoWallet(`The typed data names ${named}, but the wallet is ${address}.`)
  return withWalletErrors(`sign ${typedData.primaryType}`, () =>
    wallet.signTypedData(address, typedData),
  )
}

/** Replaces a wallet's error, because the error may contain the signed data. */
async function withWalletErrors<Answer>(
  what: string,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof NoWallet) throw error
    if (isUserRejection(error)) throw new WalletRefused(what)
    throw new WalletFailed(what, notExecutedReason(error) ?? 'it returned an error')
  }
}
