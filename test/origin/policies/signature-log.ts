/** The file in which a process of sums records its signatures, and the check of what was signed in any true window. */
import type { Charge } from '../../../shared/policies/charges.ts'
import { charge } from './reservations.ts'
import type { Load } from './sums-process.ts'

/** Times are true ones, in milliseconds. */
export type Attempt = {
  digest: string
  load: number
  wallet: string
  amount: number
  startedAt: number
  answer?: 'signed' | 'refused' | 'failed'
  signedAt?: number
  /** True if a process was killed during the first attempt. */
  isRetried?: boolean
}

/** Ignores a last line that is incomplete, because its process was killed. */
export function parseSignatureLog(text: string): Attempt[] {
  const attempts = new Map<string, Attempt>()
  for (const line of text.split('\n').slice(0, -1)) {
    const [kind, digest = '', ...words] = line.split(' ')
    const known = attempts.get(digest)
    if (kind === 'attempt') {
      const [load, wallet = '', amount, startedAt] = words
      if (known) known.isRetried = true
      else
        attempts.set(digest, {
          digest,
          load: Number(load),
          wallet,
          amount: Number(amount),
          startedAt: Number(startedAt),
        })
    } else if (known && kind === 'signed') {
      known.answer = kind
      known.signedAt = Number(words[0])
    } else if (known && (kind === 'refused' || kind === 'failed')) known.answer = kind
  }
  return [...attempts.values()]
}

export const chargesOf = ({ limits }: Load, amount: number): Charge[] =>
  limits.map(({ key, max, window_s }) =>
    charge({ key, amount: BigInt(amount), max: BigInt(max), window_s }),
  )

/** Returns the windows in which more was signed than a sum allows. */
export function overspent(attempts: readonly Attempt[], loads: readonly Load[]): string[] {
  return loads.flatMap(({ wallets, limits }, load) =>
    wallets.flatMap((wallet) => {
      const signed = attempts
        .filter((one) => one.load === load && one.wallet === wallet && one.answer === 'signed')
        .map(({ startedAt, signedAt = 0, isRetried, amount }) => ({
          // Counts from the first attempt if that may have reserved the amount.
          first: isRetried ? startedAt : signedAt,
          last: signedAt,
          amount,
        }))
        .toSorted((one, other) => one.last - other.last)
      return limits.flatMap(({ key, max, window_s }) =>
        signed.flatMap(({ last: end }) => {
          const start = end - window_s * 1_000
          const total = signed
            .filter(({ first, last }) => first > start && last <= end)
            .reduce((sum, { amount }) => sum + amount, 0)
          return total > max ? [`${total} of ${max} (${key}) until ${end}`] : []
        }),
      )
    }),
  )
}
