import { defineAction } from '@svc-run/cli/action'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  isAddress,
  isHex,
  recoverTypedDataAddress,
  toFunctionSelector,
} from 'viem'
import * as z from 'zod'
import { APP, FORWARDER, forwarderAbi, forwardRequest } from './forwarder'

const NODE = 'https://mainnet.base.org'
/** Calls that users may make without paying for gas. */
const FUNCTIONS = ['vote(uint256,bool)'].map((name) => toFunctionSelector(name))
/** Gas for a call, and what the forwarder needs in addition. */
const GAS_MAX = 200_000
const GAS_OF_FORWARDER = 80_000n
const DEADLINE_MAX_S = 60 * 60

const hex = z.string().refine((text) => isHex(text), 'expected 0x hex')
const Params = z.strictObject({
  wallet: z.string(),
  from: z
    .string()
    .refine((text) => isAddress(text), 'expected an address')
    .transform((text) => getAddress(text)),
  gas: z.int().min(21_000).max(GAS_MAX),
  deadline: z.int(),
  data: hex.refine((data) => FUNCTIONS.includes(data.slice(0, 10) as `0x${string}`), {
    error: 'this function is not free of gas',
  }),
  signature: hex,
})

/** Sends a call of the app that a user has signed, and pays for its gas. */
export default defineAction(async (params: unknown) => {
  const { wallet, from, gas, deadline, data, signature } = Params.parse(params)
  const rest = deadline - Date.now() / 1000
  if (rest < 0 || rest > DEADLINE_MAX_S) throw new Error('expected a deadline within an hour')
  // The nonce is part of what the user signs, so that a call is valid once.
  const nonce = await nonceOf(from)
  const call = { from, gas: BigInt(gas), deadline, data }
  const signer = await recoverTypedDataAddress({ ...forwardRequest(call, nonce), signature })
  if (signer !== from) throw new Error(`the call is not signed by ${from} with the nonce ${nonce}`)
  const { id, state } = await Svc.Actions.sendTransaction({
    pkpId: wallet,
    chain: 'base',
    to: FORWARDER,
    data: encodeFunctionData({
      abi: forwarderAbi,
      functionName: 'execute',
      args: [{ ...call, to: APP, value: 0n, signature }],
    }),
    gas: call.gas + GAS_OF_FORWARDER,
    // A user who sends a call again gets the same transaction.
    idempotencyKey: `${from} ${nonce}`,
  })
  return { id, state, nonce: nonce.toString() }
})

async function nonceOf(user: Address): Promise<bigint> {
  const method = { abi: forwarderAbi, functionName: 'nonces' } as const
  const call = { to: FORWARDER, data: encodeFunctionData({ ...method, args: [user] }) }
  const response = await fetch(NODE, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] }),
  })
  const { result, error } = z
    .object({ result: hex.optional(), error: z.object({ message: z.string() }).optional() })
    .parse(await response.json())
  if (result === undefined) throw new Error(`the node refused: ${error?.message}`)
  return decodeFunctionResult({ ...method, data: result })
}
