import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { SharedProblem } from '../../../edge/alerts/incidents.ts'
import { KeyWatch } from '../../../edge/alerts/key-watch.ts'
import { WatchedKeys } from '../../../edge/alerts/watched-keys.ts'
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts'
import { KEY_STATES_PER_REQUEST_MAX, TRIGGERS_MAX } from '../../../shared/limits.ts'
import type { PolledSignal } from '../../../shared/wire/alert-signals.ts'
import { newOwner, patch, reportsOf } from './alerts-harness.ts'

const NOW = Date.parse('2026-05-22T13:05:00Z')

/** Runs a test with a watch that has its own triggers and origin, in the storage of a new object. */
async function withWatch(count: number, test: (watch: Watch) => Promise<void>): Promise<void> {
  const owner = await newOwner()
  // Creates the tables.
  await patch(owner, '/api/alerts/settings', { muted: false })
  await runInDurableObject(reportsOf(owner.id), (_, { storage }) =>
    test(new Watch(storage.sql, count)),
  )
}

class Watch {
  now = NOW
  readonly requests: number[] = []
  readonly problems: SharedProblem[] = []
  readonly keys: WatchedKeys
  readonly watch: KeyWatch
  triggers: { id: string; name: string }[]
  isAway = false
  isEnabled = true
  signals: PolledSignal[] = ['key_expiring']
  /** Account of a trigger's key. */
  accountOf: (triggerId: string) => string = () => 'account'
  balance = 900
  hanging = ''
  /** Called while the origin is asked. */
  whileAsking = () => {}
  #work: Promise<void>[] = []

  constructor(sql: SqlStorage, count: number) {
    this.triggers = Array.from({ length: count }, (_, at) => ({ id: `t${at}`, name: `name ${at}` }))
    this.keys = new WatchedKeys(sql)
    this.watch = new KeyWatch({
      keys: this.keys,
      userId: () => 'user',
      enabledSignals: () => new Set(this.isEnabled ? this.signals : []),
      thresholds: () => ({ expiry_days: 7, credit_cents: 500 }),
      triggers: async () => this.triggers,
      sealedKey: (id) =>
        id === this.hanging
          ? new Promise(() => {})
          : Promise.resolve(id === 't1' ? undefined : new TextEncoder().encode(id)),
      sleep: () => (this.hanging ? Promise.resolve() : new Promise(() => {})),
      origin: {
        keyStates: async ({ stored, balances }) => {
          this.requests.push(stored.length)
          this.whileAsking()
          if (this.isAway) throw new Error('away')
          const facts = (id: string) => ({
            account_hash: this.accountOf(id),
            balance_cents: this.balance,
          })
          const state = (id: string) => ({
            key_hash: id,
            expires_at: NOW + DAY_MS,
            ...(balances && facts(id)),
          })
          return { state: 'known', keys: stored.map(({ trigger_id }) => state(trigger_id)) }
        },
      },
      record: (signal, problems) => {
        if (signal === this.signals[0]) this.problems.splice(0, Infinity, ...problems)
      },
      now: () => this.now,
      armBy: () => {},
      log: () => {},
    })
  }

  /** Runs the alarm, and waits for the work that it started. @returns the time of the next alarm */
  async alarm(): Promise<number | undefined> {
    const next = this.watch.runDue(this.now, (work) => this.#work.push(work))
    await Promise.all(this.#work.splice(0))
    return next
  }
}

describe('the check of usage keys', () => {
  it('covers the largest number of triggers in several alarms, with full requests', async () => {
    await withWatch(TRIGGERS_MAX, async (test) => {
      let alarms = 0
      do {
        alarms += 1
        await test.alarm()
        expect(Math.max(...test.requests)).toBe(KEY_STATES_PER_REQUEST_MAX)
      } while (!test.keys.pass()!.isFinished)
      expect(alarms).toBe(4)
      // One of the triggers was deleted in the meantime.
      expect(test.problems).toHaveLength(TRIGGERS_MAX - 1)
      expect(test.requests).toHaveLength(Math.ceil(TRIGGERS_MAX / KEY_STATES_PER_REQUEST_MAX))
    })
  })

  it('is repeated after six hours, and forgets triggers that are gone', async () => {
    await withWatch(3, async (test) => {
      await test.alarm()
      expect(test.problems.map(({ triggers }) => triggers[0].id)).toEqual(['t0', 't2'])
      expect(await test.alarm()).toBe(NOW + 6 * HOUR_MS)
      expect(test.requests).toHaveLength(1)
      test.triggers = test.triggers.slice(1)
      test.now += 6 * HOUR_MS
      await test.alarm()
      expect(test.requests).toHaveLength(2)
      expect(test.problems.map(({ triggers }) => triggers[0].id)).toEqual(['t2'])
    })
  })

  it('asks an origin that does not respond once an hour, and keeps what it knows', async () => {
    await withWatch(3, async (test) => {
      await test.alarm()
      test.now += 6 * HOUR_MS
      test.isAway = true
      for (let n = 0; n < 5; n++) expect(await test.alarm()).toBe(test.now + HOUR_MS)
      expect(test.requests).toHaveLength(2)
      expect(test.problems).toHaveLength(2)
      test.isAway = false
      test.now += HOUR_MS
      await test.alarm()
      expect(test.requests).toHaveLength(3)
      expect(test.problems).toHaveLength(2)
    })
  })

  it('does not use old results when the signal is enabled again', async () => {
    await withWatch(3, async (test) => {
      await test.alarm()
      test.problems.splice(0)
      test.watch.update(test.now)
      expect(test.problems).toHaveLength(2)
      test.problems.splice(0)
      test.watch.update(test.now + DAY_MS)
      expect(test.problems).toEqual([])
    })
  })

  it('starts again instead of continuing a check that is six hours old', async () => {
    await withWatch(3, async (test) => {
      const started = { startedAt: NOW, fullAt: NOW, isFinished: false, withBalances: false }
      test.keys.setPass({ ...started, nextAt: NOW })
      const state = { key_hash: 'replaced', expires_at: NOW + DAY_MS }
      test.keys.add([{ trigger: test.triggers[0]!, state }], NOW)
      test.now += 6 * HOUR_MS
      await test.alarm()
      expect(test.problems.map(({ hash }) => hash)).toEqual(['t0', 't2'])
      expect(test.requests).toEqual([2])
    })
  })

  it('is due when the clock was set back, and covers all triggers', async () => {
    await withWatch(3, async (test) => {
      await test.alarm()
      test.now -= DAY_MS
      await test.alarm()
      expect(test.requests).toEqual([2, 2])
      expect(test.keys.pass()).toMatchObject({ startedAt: test.now, isFinished: true })
    })
  })

  it('finds no problem of a trigger that is deleted meanwhile', async () => {
    await withWatch(3, async (test) => {
      test.whileAsking = () => test.watch.forget('t0')
      await test.alarm()
      expect(test.problems.map(({ hash }) => hash)).toEqual(['t2'])
      expect(test.watch.triggerSharing('key_expiring', 't0')).toBeUndefined()
    })
  })

  it('does not wait for the object of a trigger that hangs', async () => {
    await withWatch(3, async (test) => {
      test.hanging = 't2'
      await test.alarm()
      expect(test.requests).toEqual([])
      test.hanging = ''
      test.now += HOUR_MS
      await test.alarm()
      expect(test.problems).toHaveLength(2)
    })
  })

  it('reads one key of each account every hour for credit_low, and all keys every six hours', async () => {
    await withWatch(100, async (test) => {
      test.signals = ['credit_low', 'key_expiring']
      test.accountOf = (id) => (id === 't7' ? 'second' : 'first')
      await test.alarm()
      expect(test.requests.reduce((sum, count) => sum + count)).toBe(99)
      test.requests.splice(0)
      test.balance = 100
      test.now += HOUR_MS
      expect(await test.alarm()).toBe(test.now + HOUR_MS)
      await test.alarm()
      expect(test.requests).toEqual([2])
      expect(test.problems.map(({ hash, triggers }) => [hash, triggers.length])).toEqual([
        ['first', 98],
        ['second', 1],
      ])
      for (let hour = 2; hour <= 5; hour++) {
        test.now += HOUR_MS
        await test.alarm()
      }
      expect(test.requests).toEqual([2, 2, 2, 2, 2])
      test.now += HOUR_MS
      await test.alarm()
      expect(test.requests.slice(5).reduce((sum, count) => sum + count)).toBe(99)
    })
  })

  it('reads the key of a new trigger, and of another trigger if one of an account is gone', async () => {
    await withWatch(4, async (test) => {
      test.signals = ['credit_low']
      test.balance = 100
      await test.alarm()
      test.requests.splice(0)
      test.accountOf = (id) => (id === 'new' ? 'other' : 'account')
      test.triggers = [...test.triggers.slice(1), { id: 'new', name: 'new' }]
      test.now += HOUR_MS
      await test.alarm()
      expect(test.requests).toEqual([2])
      expect(test.problems.map(({ triggers }) => triggers.map(({ id }) => id))).toEqual([
        ['t2', 't3'],
        ['new'],
      ])
      test.watch.forget('t2')
      test.triggers = test.triggers.slice(2)
      test.now += HOUR_MS
      await test.alarm()
      expect(test.problems.map(({ triggers }) => triggers.map(({ id }) => id))).toEqual([
        ['t3'],
        ['new'],
      ])
    })
  })

  it.each(['after', 'during'])('leaves no data if the signals are disabled %s it', async (when) => {
    await withWatch(3, async (test) => {
      const disable = () => {
        test.isEnabled = false
        test.watch.update(test.now)
      }
      if (when === 'during') test.whileAsking = disable
      await test.alarm()
      if (when === 'after') disable()
      expect(test.requests).toHaveLength(1)
      expect(test.problems).toEqual([])
      expect(test.keys.checkedSince(0)).toEqual(new Set())
      test.whileAsking = () => {}
      test.isEnabled = true
      await test.alarm()
      expect(test.problems).toHaveLength(2)
    })
  })
})
