import { Interface } from 'ethers'
import { decodeLog } from '../../../edge/chain/decoding/decode-log.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { median, report } from '../report.ts'
import { TRANSFER, transferOf } from './transfers.ts'

const LOGS = 5_000
const WINDOWS = 7

/** Measures planning and decoding of logs per second, compared with ethers, which is given the indexed arguments. */
export function decoding(): void {
  const logs = Array.from({ length: LOGS }, (_, n) => transferOf(1, n)).map((log) => ({
    ...log,
    topics: [...log.topics],
  }))
  const signature = parseEventSignature(TRANSFER)
  const declared = new Interface([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
  ])
  const perSecond = (decode: (log: (typeof logs)[number]) => unknown) => {
    const began = performance.now()
    for (const log of logs) if (!decode(log)) throw new Error('it is not decoded')
    return LOGS / ((performance.now() - began) / 1000)
  }
  const ours: number[] = []
  const floor: number[] = []
  for (let window = 0; window < WINDOWS; window++) {
    floor.push(perSecond((log) => declared.parseLog(log)))
    ours.push(perSecond((log) => decodeLog(signature, log, planDecoding(signature, log)).decoded))
  }
  const [value, baseline] = [median(ours), median(floor)]
  const names = { bench: 'chain', metric: 'decode_per_s', unit: 'logs/s' }
  report({ ...names, value, baseline, ratio: value / baseline })
}
