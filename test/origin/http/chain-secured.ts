import { randomBytes } from 'node:crypto'
import { hexlify, Wallet } from 'ethers'
import type { TestOrigin } from './origin.ts'

/** Gives an account to a new wallet, as the contract's conversion does. @returns the wallet, now its admin */
export async function makeChainSecured(origin: TestOrigin, key: string) {
  const admin = Wallet.createRandom()
  const args = [origin.hashOf(key), admin.address, hexlify(randomBytes(32))]
  await origin.services.writer.write('convertToChainSecuredAccount', args)
  return admin
}
