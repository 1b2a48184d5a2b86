/**
 * A process that reserves sums on a fast clock, for tests that kill it and set its clock. Writes what it attempts and what
 * it signs to a file, from which its successor continues. The argument is a `SumsProcess` as JSON.
 */
import { appendFileSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../origin/db/open.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import { Random } from '../credits/simulation/random.ts'
import { newDigest, POLICY_HASH } from './reservations.ts'
import { type Attempt, chargesOf, parseSignatureLog } from './signature-log.ts'

/** A plan of signatures. */
export type Load = {
  wallets: readonly string[]
  limits: readonly { key: string; max: number; window_s: number }[]
  amountMax: number
  /** True if each process signs mostly with a wallet of its own. */
  isDivided?: boolean
  /** Signatures that are to be signed or refused, by all processes with this file. */
  count: number
}

export type SumsProcess = {
  url: string
  file: string
  /** Of the process among all. */
  index: number
  seed: number
  /** True time is `since` plus the real time since then, multiplied by `speed`. */
  since: number
  speed: number
  loads: readonly Load[]
}

const CONCURRENCY = 16

/** In real time. Without pauses, sums would be full most of the time. */
const PAUSE_MAX_MS = 200

/** Signing takes less than a second. If this process was suspended in between, it is as if it had not signed. */
const SIGNING_MAX_MS = 1_000

const config = JSON.parse(process.argv[2] ?? '') as SumsProcess
const { since, speed, file } = config
const random = new Random(config.seed)
const { db } = await openDatabase({ url: config.url })
const trueTime = () => since + (Date.now() - since) * speed
let aheadMs = 0
let lastReading = 0
const sums = new PolicySums({
  db,
  now: () => {
    lastReading = trueTime()
    return lastReading + aheadMs
  },
  monotonic: () => performance.now() * speed,
  log: () => {},
})

/** Set while nothing is in flight, so that the clock of the database and this one are never wrong at the same time. */
let wantedAheadMs: number | undefined
process.on('message', (message: { aheadMs: number }) => (wantedAheadMs = message.aheadMs))
process.once('disconnect', () => process.exit(0))

appendFileSync(file, '')
const log = openSync(file, 'a')
const write = (...words: readonly (string | number)[]) => writeSync(log, `${words.join(' ')}\n`)
const before = parseSignatureLog(readFileSync(file, 'utf8'))
const isDecided = ({ answer }: Attempt) => answer === 'signed' || answer === 'refused'
const decided = config.loads.map(
  (_, load) => before.filter((one) => one.load === load && isDecided(one)).length,
)
const retries = before.filter(({ answer }) => !answer)
let inFlight = 0

for (const [index, load] of config.loads.entries()) {
  await Promise.all(Array.from({ length: CONCURRENCY }, () => signRepeatedly(index, load)))
  process.send?.({ finished: index })
}

async function signRepeatedly(index: number, load: Load): Promise<void> {
  while (decided[index]! < load.count) {
    if (wantedAheadMs === undefined) {
      inFlight++
      await sign(retries.pop() ?? newAttempt(index, load))
      inFlight--
    } else if (inFlight === 0) {
      aheadMs = wantedAheadMs
      wantedAheadMs = undefined
      process.send?.('clock is set')
    }
    await sleep(random.integer(0, PAUSE_MAX_MS))
  }
}

function newAttempt(load: number, { wallets, amountMax, isDivided }: Load): Attempt {
  const isOwn = isDivided && random.integer(1, 100) > 2
  const wallet = isOwn ? wallets[config.index % wallets.length]! : random.pick(wallets)
  const amount = random.integer(1, amountMax)
  return { digest: newDigest(), load, wallet, amount, startedAt: 0 }
}

async function sign({ digest, load, wallet, amount }: Attempt): Promise<void> {
  write('attempt', digest, load, wallet, amount, trueTime())
  const charges = chargesOf(config.loads[load]!, amount)
  const reservation = { pkpId: wallet, digest, policyHash: POLICY_HASH, policySetAt: 1e11, charges }
  try {
    const { isReserved } = await sums.reserve(reservation)
    if (isReserved && trueTime() - lastReading > SIGNING_MAX_MS) return void write('failed', digest)
    if (isReserved) write('signed', digest, trueTime())
    else write('refused', digest)
    decided[load]!++
  } catch {
    write('failed', digest)
  }
}
