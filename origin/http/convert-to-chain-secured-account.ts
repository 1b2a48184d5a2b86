import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import {
  convertToChainSecuredAccountResponse,
  convertToChainSecuredAccountRequest,
} from '../../shared/wire/wallet-proofs.ts'
import { refreshPrincipal } from '../accounts/refresh-principal.ts'
import { word, type Principal } from '../accounts/account.ts'
import { requireManaged } from '../accounts/ownership-mode.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import type { WalletProof } from '../accounts/wallet-proofs/wallet-proofs.ts'
import type { AuditContext } from '../audit-log/context.ts'
import { CONVERSION_GAS } from '../admission/free-write-gas.ts'
import { ContractRevertError } from '../accounts/writer.ts'
import type { OriginServices } from '../services.ts'
import { withGasReservation } from './with-gas-reservation.ts'
import type { Operation } from './operation.ts'

const CONTRACT_FUNCTION = 'convertToChainSecuredAccount'

type Body = z.infer<typeof convertToChainSecuredAccountRequest>

/**
 * Converts an account to a ChainSecured account. Permanent and free of charge; the account keeps its credit balance.
 * Each proof can convert only one account. A repeated request gets 409, or the first response if it has the same
 * Idempotency-Key.
 */
export const convertToChainSecuredAccountOperation: Operation<Body> = {
  method: 'POST',
  path: '/core/v1/convert_to_chain_secured_account',
  summary:
    'Converts the account to ChainSecured mode: from then on, only the given wallet can change it. This cannot be undone.',
  auth: 'account_key',
  writes: CONTRACT_FUNCTION,
  isFree: true,
  body: { schema: convertToChainSecuredAccountRequest },
  responseSchema: convertToChainSecuredAccountResponse,
  statuses: [409, 503],
  before: async ({ body, writeId }, { walletProofs, conversionProofs, writer }) => {
    // The proof was verified before this write was first sent. It may have expired since, but the caller still gets the
    // response.
    if (await writer.isRecorded(writeId)) return 'resumes'
    const proof = readProof(body, walletProofs)
    await conversionProofs.requireUnused(proof, writeId)
    return undefined
  },
  handle: async ({ principal, body, writeId, clientAddress, audit }, services) => {
    const sent = await services.writer.join(writeId)
    const receipt =
      sent ?? (await convert({ principal, body, writeId, clientAddress, audit }, services))
    const { accountHash, adminWallet } = receiptEvent(receipt, 'AccountConverted')
    return { success: true, wallet_address: adminWallet, api_key_hash: word(accountHash) }
  },
}

type ConversionRequest = {
  principal: Principal
  body: Body
  writeId: string
  clientAddress: string
  audit: () => AuditContext
}

async function convert(
  { principal, body, writeId, clientAddress, audit }: ConversionRequest,
  services: OriginServices,
) {
  const { walletProofs, walletCalls, conversionProofs, newAccountLimits, writer } = services
  const proof = readProof(body, walletProofs)
  // Rate-limited because failed attempts are free of charge, and verifying a proof can make our node call any contract.
  await walletCalls.takeProof(clientAddress)
  await walletProofs.verify(proof)
  return withGasReservation(
    await newAccountLimits.reserveGas(clientAddress, CONVERSION_GAS),
    services,
    async (write) => {
      await conversionProofs.use(proof, writeId)
      try {
        return await write(CONTRACT_FUNCTION, [principal.keyHash, proof.address, proof.digest], {
          writeId,
          audit: audit(),
        })
      } catch (error) {
        // A failure to release the proof is harmless: the proof expires, and the wallet can sign another one.
        if (!(await writer.mayBeRecorded(writeId)))
          await conversionProofs.release(proof, writeId).catch(() => {})
        if (error instanceof ContractRevertError) requireStillManaged(principal, services)
        throw error
      }
    },
  )
}

/** @throws {ApiError} 400 if the signing wallet is not the new admin wallet */
function readProof(body: Body, walletProofs: OriginServices['walletProofs']): WalletProof {
  const proof = walletProofs.read(body, 'ConvertAccount')
  if (body.new_admin_wallet_address.toLowerCase() === proof.address.toLowerCase()) return proof
  throw new ApiError(
    400,
    'new_admin_wallet_address: expected the same wallet as typed_data.message.address',
    'Have the future admin wallet sign the typed data.',
  )
}

/** Throws if another request has converted the account. The contract itself would report only `InvalidRequest`. */
function requireStillManaged(
  principal: Principal,
  { mirror, keyLimits, chain }: OriginServices,
): void {
  const { contractAddress, chainId } = chain
  const write = { functionName: CONTRACT_FUNCTION, contractAddress, chainId }
  requireManaged(refreshPrincipal(principal, mirror.current(), keyLimits), write)
}
