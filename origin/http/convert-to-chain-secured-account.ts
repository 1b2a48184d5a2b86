import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import {
  convertToChainSecuredAccountAnswer,
  convertToChainSecuredAccountRequest,
} from '../../shared/wire/wallet-proofs.ts'
import { asOfNow } from '../accounts/as-of-now.ts'
import { word } from '../accounts/account.ts'
import { requireManaged } from '../accounts/ownership-mode.ts'
import { eventIn } from '../accounts/receipt-event.ts'
import type { Principal } from '../accounts/state.ts'
import type { WalletProof } from '../accounts/wallet-proofs/proof.ts'
import { ContractRefused } from '../accounts/writer.ts'
import type { Services } from '../services.ts'
import { gasPaid } from './gas-paid.ts'
import type { Operation } from './operation.ts'

const WRITES = 'convertToChainSecuredAccount'

type Body = z.infer<typeof convertToChainSecuredAccountRequest>

/**
 * Permanent and free of charge; the credit balance is preserved. Each proof can convert only one account. A repeated
 * request gets 409, or the first response if it has the same Idempotency-Key.
 */
export const convertToChainSecuredAccount: Operation<Body> = {
  method: 'POST',
  path: '/core/v1/convert_to_chain_secured_account',
  summary:
    'Converts the account to ChainSecured mode: from then on, only the given wallet can change it. This cannot be undone.',
  auth: 'account_key',
  writes: WRITES,
  isFree: true,
  body: { schema: convertToChainSecuredAccountRequest },
  answer: convertToChainSecuredAccountAnswer,
  statuses: [409, 503],
  before: async ({ body, writeId }, { walletProofs, conversionProofs, writer }) => {
    // The proof of a write already sent was verified before. It may have expired since, but the caller still gets the
    // response.
    if (await writer.isKnown(writeId)) return 'resumes'
    const proof = proofIn(body, walletProofs)
    await conversionProofs.requireUnused(proof, writeId)
    return undefined
  },
  handle: async ({ principal, body, writeId, clientAddress }, services) => {
    const sent = await services.writer.join(writeId)
    const receipt = sent ?? (await convert({ principal, body, writeId, clientAddress }, services))
    const { accountHash, adminWallet } = eventIn(receipt, 'AccountConverted')
    return { success: true, wallet_address: adminWallet, api_key_hash: word(accountHash) }
  },
}

type Asked = { principal: Principal; body: Body; writeId: string; clientAddress: string }

async function convert({ principal, body, writeId, clientAddress }: Asked, services: Services) {
  const { walletProofs, walletCalls, conversionProofs, openings, writer } = services
  const proof = proofIn(body, walletProofs)
  // Failed attempts are free of charge, and verifying a proof can make our node call any contract.
  await walletCalls.proof(clientAddress)
  await walletProofs.verify(proof)
  return gasPaid(await openings.reserveGas(clientAddress), services, async (write) => {
    await conversionProofs.use(proof, writeId)
    try {
      return await write(WRITES, [principal.keyHash, proof.address, proof.digest], { writeId })
    } catch (error) {
      // Failure is harmless: the proof expires, and the wallet can sign another one.
      if (!(await writer.wasRecorded(writeId)))
        await conversionProofs.giveBack(proof, writeId).catch(() => {})
      if (error instanceof ContractRefused) requireStillManaged(principal, services)
      throw error
    }
  })
}

/** @throws {ApiError} 400 if the signing wallet is not the new admin wallet */
function proofIn(body: Body, walletProofs: Services['walletProofs']): WalletProof {
  const proof = walletProofs.read(body, 'ConvertAccount')
  if (body.new_admin_wallet_address.toLowerCase() === proof.address.toLowerCase()) return proof
  throw new ApiError(
    400,
    'new_admin_wallet_address: expected the same wallet as typed_data.message.address',
    'Have the future admin wallet sign the typed data.',
  )
}

/** Another request converted the account first; the contract itself reports only `InvalidRequest`. */
function requireStillManaged(principal: Principal, { mirror, chain }: Services): void {
  const { contractAddress, chainId } = chain
  const write = { functionName: WRITES, contractAddress, chainId }
  requireManaged(asOfNow(principal, mirror.current()), write)
}
