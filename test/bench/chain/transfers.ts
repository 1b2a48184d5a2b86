import { scriptSource } from '../../doubles/script.ts'
import { id } from 'ethers'
import type { ScriptedLog } from '../../doubles/chain-node/scripted-block.ts'

export const TRANSFER = 'Transfer(address,address,uint256)'
const TOPIC0 = id(TRANSFER)

export const contract = (n: number) => `0x${(0xc0de_0000 + n).toString(16).padStart(40, '0')}`
const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

export function transferOf(n: number, amount: number): ScriptedLog {
  return { address: contract(n), topics: [TOPIC0, word(amount + 1), word(7)], data: word(amount) }
}

/** Unwatched logs of a block, which fill its bloom filter like those of a busy chain. */
export function crowd(block: number, logs: number): ScriptedLog[] {
  return Array.from({ length: logs }, (_, n) => transferOf(1_000_000 + block * logs + n, n))
}

/** Script of the origin double with an immediate outcome. */
export const AT_ONCE = scriptSource([
  {
    outcome: {
      status: 'success',
      action_cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG',
      duration_ms: 1,
      logs: [],
      charged_cents: 1,
      response: 'done',
    },
  },
])

/** API fields of a trigger for the transfers of one contract. */
export function watching(chain: string, n: number, config: object = {}): object {
  return {
    kind: 'chain_event',
    action_code: AT_ONCE,
    config: { chain, contract_address: contract(n), event_signature: TRANSFER, ...config },
    options: { finality: 'latest' },
  }
}
