import { type Address, type Hex, parseAbi } from 'viem'

/** An ERC2771Forwarder of OpenZeppelin on Base, and a contract that trusts it. The policy names both. */
export const FORWARDER: Address = '0x000000000000000000000000000000000000f04d'
export const APP: Address = '0x0000000000000000000000000000000000000a99'

export const forwarderAbi = parseAbi([
  'struct Request { address from; address to; uint256 value; uint256 gas; uint48 deadline; bytes data; bytes signature; }',
  'function execute(Request request) payable',
  'function nonces(address owner) view returns (uint256)',
])

export type Call = { from: Address; gas: bigint; deadline: number; data: Hex }

/** The typed data that a user signs: a call of the app. */
export const forwardRequest = (call: Call, nonce: bigint) =>
  ({
    domain: { name: 'Forwarder', version: '1', chainId: 8453, verifyingContract: FORWARDER },
    primaryType: 'ForwardRequest',
    types: {
      ForwardRequest: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'gas', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'data', type: 'bytes' },
      ],
    },
    message: { ...call, to: APP, value: 0n, nonce },
  }) as const
