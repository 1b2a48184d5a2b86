import type { Mutant } from '../mutant.ts'

const PROCESSOR = [
  'test/origin/credits/processor/reconcile.test.ts',
  'test/origin/credits/processor/payments.test.ts',
]

/** Mutants of billing: the ledger, leases, caps, meters and payments. */
export const CREDITS: readonly Mutant[] = [
  {
    id: 'credits-refund-taken-twice',
    file: 'origin/credits/ledger.ts',
    from: '  if (before.length > 0) return account\n',
    to: '',
    meaning: 'a refund that is read twice is taken out of the balance twice',
    tests: ['test/origin/credits/debt.test.ts', ...PROCESSOR],
  },
  {
    id: 'credits-cap-per-charge',
    file: 'origin/credits/settle-charges.ts',
    from: 'book ? payableAmount(book) - before : Number.POSITIVE_INFINITY',
    to: 'book ? payableAmount(book) : Number.POSITIVE_INFINITY',
    meaning: 'several charges of one order exceed the cap of their key together',
    tests: ['test/origin/credits/settling.test.ts', 'test/origin/credits/caps.test.ts'],
  },
  {
    id: 'credits-debt-leased',
    file: 'origin/credits/execute-order.ts',
    from: 'Math.max(0, free - account.debtCents)',
    to: 'Math.max(0, free)',
    meaning: 'credit is leased although the account owes it',
    tests: ['test/origin/credits/debt.test.ts', 'test/origin/credits/leases.test.ts'],
  },
  {
    id: 'credits-refused-cap-keeps-credit',
    file: 'origin/credits/reservation.ts',
    from: '    credit.release(cents)\n    throw error\n',
    to: '    throw error\n',
    meaning: 'credit that was reserved for a run stays reserved when its cap refuses it',
    tests: ['test/origin/credits/caps.test.ts', 'test/origin/http/spending-caps.test.ts'],
  },
  {
    id: 'credits-executor-says-how-long',
    file: 'origin/credits/run-meter.ts',
    from: 'reportedMs + MEASURE_TOLERANCE_MS < measuredMs ? measuredMs : reportedMs',
    to: 'reportedMs',
    meaning: 'an executor that was taken over runs for a minute and reports a second',
    tests: ['test/origin/credits/run-meter.test.ts', 'test/origin/http/run-charges.test.ts'],
  },
  {
    id: 'credits-spent-while-given-back',
    file: 'origin/credits/budget.ts',
    from: 'if (!this.#waitQueue.isEmpty || this.#givingBack) return false',
    to: 'if (!this.#waitQueue.isEmpty) return false',
    meaning: 'a process spends out of what it is giving back',
    tests: ['test/origin/credits/leases.test.ts', 'test/origin/credits/lost-orders.test.ts'],
  },
  {
    id: 'credits-yen-for-cents',
    file: 'origin/credits/processor/responses.ts',
    from: "livemode === live && currency === 'usd'",
    to: 'livemode === live',
    meaning: 'a payment in another currency is credited as cents',
    tests: ['test/origin/credits/processor/client.test.ts', ...PROCESSOR],
  },
  {
    id: 'credits-returns-exceed-payment',
    file: 'origin/credits/processor/settle-payment.ts',
    from: 'Math.min(room, one.cents - known(one.key).taken)',
    to: 'one.cents - known(one.key).taken',
    meaning: 'a refund and a dispute of one payment take more than was paid',
    tests: PROCESSOR,
  },
]
