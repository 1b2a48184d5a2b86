import { createOriginApp } from '../../../origin/app.ts'
import { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { startOrigin } from './origin.ts'

export const BURST = 3
/** One every ten seconds. */
const PER_HOUR = 360
export const HASH_KEY = new Uint8Array(32).fill(7)
export const ACCOUNT = JSON.stringify({ account_name: 'a', account_description: '' })

type LimitsOptions = ConstructorParameters<typeof NewAccountLimits>[0]

export type NewAccountsHost = Awaited<ReturnType<typeof startNewAccountsHost>>

/** Bindings that Node's server passes to the app for a connection from this address. */
export const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })

/** Starts an origin with limits on new accounts, and a clock for these limits that the test sets. */
export async function startNewAccountsHost() {
  const origin = await startOrigin()
  let next = 0
  const host = {
    origin,
    nowMs: Date.parse('2026-05-22T23:00:00Z'),
    /** Events that the limits logged. */
    logged: [] as { event: string; fields: unknown }[],
    limits: (gasPerDayWei?: bigint, options: Partial<LimitsOptions> = {}) =>
      new NewAccountLimits({
        db: origin.database.db,
        now: () => host.nowMs,
        log: (event, fields) => void host.logged.push({ event, fields }),
        hashKey: HASH_KEY,
        burst: BURST,
        perHour: PER_HOUR,
        gasPerDayWei,
        gasPrice: () => origin.services.writer.gasPrice(),
        ...options,
      }),
    /** An app on the same services with other limits, as in another process. */
    appWith: (newAccountLimits: NewAccountLimits): OriginApp =>
      createOriginApp({ ...origin.services, newAccountLimits }),
    /** Returns an address in a new /24. */
    freshAddress: () => `10.${Math.floor(next / 250)}.${next++ % 250}.1`,
    /** Calls `new_account` from an address. */
    async open(address: string, options: { body?: string; headers?: object; at?: OriginApp } = {}) {
      const { body = ACCOUNT, headers = {}, at = app } = options
      const init = {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }
      const answer = await at.request('/core/v1/new_account', init, from(address))
      return {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        body: (await answer.json()) as { error?: string },
      }
    },
  }
  const app = host.appWith(host.limits())
  return Object.assign(host, { app })
}
