import { CID_PATTERN } from '../../shared/cid/cid-format.ts'
import type { SigningRequest } from '../../shared/policies/request.ts'
import type { ReceiptSignature } from '../../shared/receipts/receipt-signature.ts'
import type { ReceiptTransaction } from '../../shared/receipts/receipt-transaction.ts'
import type { Principal } from '../accounts/account.ts'
import type { Capability, KeyOperation, SigningOperation } from '../actions/run.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import type { Keyring } from '../keys/keyring.ts'
import { CipherError, decryptText, encryptText } from '../keys/wallet-cipher.ts'
import { type PolicySigner, SignatureRefusedError } from '../policies/policy-signer.ts'
import type { PolicyWallet } from '../policies/policy-wallet.ts'
import { SigningInputError } from '../signing/fields.ts'
import { readOperation, signRequest } from '../signing/sign.ts'
import type { TransactionService } from '../transactions/types.ts'
import { RunTransactions } from './run-transactions.ts'
import { traceparentOf } from './run-traceparent.ts'
import {
  KeyRefusedError,
  permittedWallet,
  type PlainWallet,
  requirePermission,
  type RunGrant,
  type RunWallet,
} from './run-wallet.ts'

export type RunCapability = Capability & {
  /**
   * Ends the access to wallets, and returns the signatures by wallets with a policy. Requests for signatures that are
   * still in flight are refused.
   */
  end(): readonly ReceiptSignature[]
  /** Returns the transactions that the run requested. Awaits requests that are still being stored. */
  transactions(): Promise<readonly ReceiptTransaction[]>
}

/**
 * Returns the key access of one run, which may use the keys of its action and the wallets that its groups permit.
 * Permissions are checked at each key operation, because a run may take minutes. In the meantime, its API key may be
 * revoked or its group emptied.
 * @param currentPrincipal returns the current state of the principal that started the run; throws if its API key was
 * revoked
 * @param policySigner signs with wallets that have a policy. If omitted, these wallets are refused
 * @param sending sends transactions. If omitted, operations on transactions are refused
 * @param traceparent returns the trace context of the run. If omitted, the run has a trace of its own
 */
export function capabilityFor(
  keyring: Keyring,
  cid: string,
  currentPrincipal: () => Principal,
  policySigner?: PolicySigner,
  sending?: { service: TransactionService; runId?: string | undefined },
  traceparent = traceparentOf({}),
): RunCapability {
  const signatures: ReceiptSignature[] = []
  let hasEnded = false
  const chainTime = policySigner && (() => policySigner.chainTime())
  const requireRunning = (name: string) => {
    if (hasEnded) throw new KeyRefusedError(`${name}: the run has ended`)
  }
  const grant = (name: string): RunGrant => {
    requireRunning(name)
    return requirePermission(name, cid, currentPrincipal)
  }
  const walletFor = ({ name, pkpId }: { name: string; pkpId: string }): RunWallet =>
    permittedWallet(keyring, name, grant(name), pkpId, chainTime)
  const transactions = sending && new RunTransactions({ ...sending, cid, grant, walletFor })
  const cipherFor = (operation: { name: string; pkpId: string }) => {
    const { accountHash, derivationPath } = walletFor(operation)
    return keyring.walletCipher(accountHash, derivationPath)
  }
  /** A transaction that is signed here must not use the nonce of one that the service sends. */
  const requireFreeNonces = async (request: SigningRequest, { address }: RunWallet) => {
    if (request.kind === 'transaction')
      await transactions?.requireNoneOpen(request.transaction.chainId, address)
  }
  const signPlain = (operation: SigningOperation, wallet: PlainWallet) => {
    const { accountHash, derivationPath, address } = wallet
    const request = readOperation(operation, address)
    const privateKey = () => keyring.walletKey(accountHash, derivationPath)
    const sign = () => signRequest(request, { address, privateKey })
    if (!transactions || request.kind !== 'transaction') return sign()
    return requireFreeNonces(request, wallet).then(() => {
      // The permission may have changed in the meantime.
      walletFor(operation)
      return sign()
    })
  }
  const signUnderPolicy = async (operation: SigningOperation, wallet: PolicyWallet) => {
    const current = () => walletFor(operation)
    const signed = await policySigner!.sign({
      operation,
      action: cid,
      wallet,
      current,
      precondition: (request) => requireFreeNonces(request, wallet),
    })
    // After the run has ended, its receipt is complete, so a later signature must not leave this process.
    requireRunning(operation.name)
    signatures.push(signed.signature)
    return signed.result
  }
  const run = (operation: KeyOperation): string | Promise<string> => {
    switch (operation.name) {
      case 'getPrivateKey': {
        const { policy, address, accountHash, derivationPath } = walletFor(operation)
        if (policy) throw new KeyRefusedError(unreadable(address))
        return keyring.walletKey(accountHash, derivationPath)
      }
      case 'encrypt':
        return encryptText(cipherFor(operation), operation.message)
      case 'decrypt':
        return decryptText(cipherFor(operation), operation.ciphertext)
      case 'signMessage':
      case 'signTypedData':
      case 'signTransaction':
      case 'signDigest': {
        const wallet = walletFor(operation)
        return wallet.policy ? signUnderPolicy(operation, wallet) : signPlain(operation, wallet)
      }
      case 'sendTransaction':
      case 'transaction':
        if (transactions) return transactions.perform(operation)
        throw new KeyRefusedError(`${operation.name}: no chains are configured`)
      case 'getSvcActionPrivateKey':
        requirePermission(operation.name, cid, currentPrincipal)
        return keyring.actionKey(cid)
      case 'getTraceparent':
        return traceparent()
      case 'getSvcActionPublicKey':
        return keyring.actionPublicKey(requireCid(operation.name, operation.ipfsId)).publicKey
      case 'getSvcActionWalletAddress':
        return keyring.actionPublicKey(requireCid(operation.name, operation.ipfsId)).address
    }
  }
  return {
    keyOperation: async (operation) => {
      try {
        return await run(operation)
      } catch (error) {
        throw withOperationName(operation.name, error)
      }
    },
    end: () => {
      hasEnded = true
      transactions?.end()
      return signatures
    },
    transactions: async () => (await transactions?.requested()) ?? [],
  }
}

const unreadable = (address: string) =>
  `getPrivateKey: the wallet ${address} has a policy, so its private key cannot be read; use Svc.Actions.wallet({pkpId}) or signTransaction, signTypedData or signMessage`

function withOperationName(operation: string, error: unknown): unknown {
  const isExpected =
    error instanceof CipherError ||
    error instanceof SigningInputError ||
    error instanceof DatabaseUnavailableError ||
    error instanceof SignatureRefusedError
  return isExpected ? new KeyRefusedError(`${operation}: ${error.message}`) : error
}

function requireCid(operation: string, text: string): string {
  if (!CID_PATTERN.test(text))
    throw new KeyRefusedError(`${operation}: ipfsId must be a CIDv0, Qm...`)
  return text
}
