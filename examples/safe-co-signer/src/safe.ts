import { type Address, type Hex, zeroAddress } from 'viem'

/** A Safe on Base (version 1.3.0 or later) with the wallet as an owner, and a threshold of 2. The policy names it too. */
const SAFE: Address = '0x5afe000000000000000000000000000000000001'
const CHAIN = 8453

export type Call = { to: Address; data: Hex; nonce: bigint }

/** The typed data that the owners of a Safe sign: a call without value, gas refunds and delegate calls. */
export const safeTransaction = (call: Call) =>
  ({
    domain: { chainId: CHAIN, verifyingContract: SAFE },
    primaryType: 'SafeTx',
    types: {
      SafeTx: [
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'data', type: 'bytes' },
        { name: 'operation', type: 'uint8' },
        { name: 'safeTxGas', type: 'uint256' },
        { name: 'baseGas', type: 'uint256' },
        { name: 'gasPrice', type: 'uint256' },
        { name: 'gasToken', type: 'address' },
        { name: 'refundReceiver', type: 'address' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    message: {
      ...call,
      value: 0n,
      operation: 0,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
    },
  }) as const
