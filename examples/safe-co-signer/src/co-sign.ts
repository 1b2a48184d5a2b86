import { defineAction } from '@svc-run/cli/action'
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  type Hex,
  parseUnits,
  recoverTypedDataAddress,
} from 'viem'
import { PAYEES } from './payees'
import { safeTransaction } from './safe'

type Params = { wallet: string; to: Address; data: Hex; nonce: number; signature: Hex }

/** Owners of the Safe whose transactions are signed. */
const PROPOSERS = ['0x2EDA0886B2549919F16e47607C5c01EdFe1f4946']
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** The highest payment. Above it, two people have to sign. */
const PAYMENT_MAX = parseUnits('1000', 6)

/** Signs a transaction of the Safe that an owner has signed, if it pays a listed address. */
export default defineAction(async ({ wallet, to, data, nonce, signature }: Params) => {
  const { payee, amount } = paymentOf(to, data)
  const { domain, types, primaryType, message } = safeTransaction({
    to,
    data,
    nonce: BigInt(nonce),
  })
  const proposer = await recoverTypedDataAddress({ domain, types, primaryType, message, signature })
  if (!PROPOSERS.includes(proposer)) throw new Error(`${proposer} may not propose transactions`)
  return {
    payee,
    usdc: formatUnits(amount, 6),
    proposer,
    signature: await Svc.Actions.signTypedData({ pkpId: wallet, domain, types, value: message }),
  }
})

function paymentOf(to: Address, data: Hex) {
  if (to !== USDC) throw new Error('only calls of USDC are signed')
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
  if (functionName !== 'transfer') throw new Error(`${functionName} is not signed`)
  // Otherwise the data could contain more than what was decoded.
  if (encodeFunctionData({ abi: erc20Abi, functionName, args }) !== data.toLowerCase())
    throw new Error('the data is not the canonical encoding of a transfer')
  const [payee, amount] = args
  if (!PAYEES.includes(payee)) throw new Error(`${payee} is not a payee`)
  if (amount > PAYMENT_MAX) throw new Error('payments above 1000 USDC are signed by people')
  return { payee, amount }
}
