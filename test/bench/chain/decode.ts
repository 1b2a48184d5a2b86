/**
 * Measures planning and decoding of logs per second from canonical signatures, compared with ethers with full
 * signatures.
 */
import { Interface } from 'ethers'
import { declared as declarations } from '../../../.ci/event-table.ts'
import { decodeLog } from '../../../edge/chain/decoding/decode-log.ts'
import { planDecoding } from '../../../edge/chain/decoding/plan-decoding.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { marksOf, seeded, someLog, type SomeLog, unmarked } from '../../shared/chain/some-logs.ts'
import { median, type Metric } from '../report.ts'

/** Commonly watched events: transfers, swaps, and orders with arrays of tuples. */
const WATCHED = ['Transfer(', 'Swap(', 'URI(', 'Supply(', 'OrderFulfilled(', 'UserOperationEvent(']
const LOGS_EACH = 40
const ROUNDS = 7
const ROUND_MS = 300

export function decodeBench(): Metric[] {
  const random = seeded(1)
  const cases = declarations()
    .filter((line) => WATCHED.some((begin) => line.startsWith(begin)))
    .map((line) => {
      const declared = parseEventSignature(line)
      const logs = Array.from({ length: LOGS_EACH }, () =>
        someLog(declared, marksOf(declared), random),
      )
      return { signature: unmarked(declared), theirs: new Interface([`event ${line}`]), logs }
    })
  const ours = each(cases, ({ signature }, log) => {
    const found = decodeLog(signature, log, planDecoding(signature, log))
    if (found.decode !== 'exact') throw new Error(`${signature.canonical} is ${found.decode}`)
  })
  const ethers = each(cases, ({ theirs }, log) => {
    if (!theirs.parseLog(log)) throw new Error('ethers does not know it')
  })
  // Alternates within each round, so that other load on the machine affects both.
  const rounds = Array.from({ length: ROUNDS }, () => [perSecond(ours), perSecond(ethers)] as const)
  const value = median(rounds.map(([our]) => our))
  const baseline = median(rounds.map(([, their]) => their))
  const ratio = median(rounds.map(([our, their]) => our / their))
  return [{ bench: 'chain', metric: 'decode_per_s', unit: 'per_s', value, baseline, ratio }]
}

/** Applies a function to every log of every case. @returns the number of logs */
function each<Case extends { logs: readonly SomeLog[] }>(
  cases: readonly Case[],
  decode: (of: Case, log: SomeLog) => void,
): () => number {
  return () => {
    let count = 0
    for (const of of cases)
      for (const log of of.logs) {
        decode(of, log)
        count++
      }
    return count
  }
}

function perSecond(pass: () => number): number {
  const began = performance.now()
  let count = 0
  let elapsed = 0
  while (elapsed < ROUND_MS) {
    count += pass()
    elapsed = performance.now() - began
  }
  return (count / elapsed) * 1_000
}
