import { describe, expect, it } from 'vitest'
import { parseParams } from '../../edge/browser/console/actions/parse-params.ts'
import { receiptFields } from '../../edge/browser/format/receipt-claims.ts'
import { stackLines } from '../../edge/browser/console/actions/stack-lines.ts'
import { parseAmount } from '../../edge/browser/format/parse-usd.ts'
import { lastDays, dailyCharges } from '../../edge/browser/console/credits/daily-charges.ts'
import { canRunThirdPartyScript } from '../../edge/browser/pay/third-party-script.ts'
import { parsePayment } from '../../edge/browser/pay/parse-payment.ts'
import { paymentSettingErrors, PROCESSOR_SCRIPT_URL } from '../../edge/payment/payment-settings.ts'
import { processorSources } from '../../edge/payment/processor-sources.ts'

describe('params typed by a user', () => {
  it('are an object, or empty', () => {
    expect(parseParams('{"a": [1]}')).toEqual({ params: { a: [1] } })
    expect(parseParams(' \n ')).toEqual({ params: {} })
  })

  it('are reported with the position of invalid JSON', () => {
    const text = '{\n  "a": 1,\n  "b": oops\n}'
    expect(parseParams(text)).toMatchObject({ place: { line: 3, column: 8, offset: 19 } })
  })

  it('are reported at the end if they are truncated', () => {
    expect(parseParams('{"a": ')).toMatchObject({ place: { line: 1, column: 7, offset: 6 } })
  })

  it.each([
    ['{"a": 1,}', 8],
    ["{'a': 1}", 1],
    ['{"a" 1}', 5],
    ['{"a": 01}', 7],
    ['{"a": [1, 2}', 11],
    ['{"a": "\u0001"}', 6],
    ['{"a": 1} x', 9],
    ['{"a": [,]}', 7],
    ['{"a": undefined}', 6],
  ])('%j is reported at the unexpected token', (text, offset) => {
    expect(parseParams(text)).toMatchObject({ place: { offset } })
  })

  it.each(['[1]', '"text"', '12', 'null'])('are rejected as %s', (text) => {
    expect(parseParams(text)).toMatchObject({ fault: expect.stringContaining('JSON object') })
  })

  it('keep a member named __proto__', () => {
    const read = parseParams('{"__proto__": 1}')
    expect('params' in read && Object.keys(read.params)).toEqual(['__proto__'])
  })
})

describe('the lines of a stack', () => {
  it('have a position only for frames of the action', () => {
    const stack =
      'RangeError: 5 is too much\n    at check (action.js:2:27)\n    at action.js:7:3\n    at <anonymous> (ethers.js:1:2)'
    expect(stackLines(stack).map(({ place }) => place)).toEqual([
      undefined,
      { line: 2, column: 27 },
      { line: 7, column: 3 },
      undefined,
    ])
  })

  it('have no position for a message that imitates a frame', () => {
    const [line] = stackLines('Error at (action.js:1:1)')
    expect(line).toEqual({ text: 'Error at (action.js:1:1)' })
  })
})

describe('the fields of a receipt', () => {
  it('are those of its payload', () => {
    const payload = Buffer.from('{"v":1,"status":"success"}').toString('base64url')
    expect(receiptFields(`head.${payload}.signature`)).toEqual([
      ['v', '1'],
      ['status', 'success'],
    ])
  })

  it.each(['', 'a.b', 'a.bnVsbA.c', '..'])('are empty for an invalid receipt: %j', (text) => {
    expect(receiptFields(text)).toEqual([])
  })
})

describe('an amount', () => {
  it.each([
    ['5', 500],
    ['12.5', 1250],
    [' $ 25.00 ', 2500],
    ['10000', 1_000_000],
  ])('%j is accepted to the cent', (text, cents) => {
    expect(parseAmount(text)).toBe(cents)
  })

  it.each(['4.99', '10000.01', '1e3', '-5', '5,00', '', '0x10', '5.001'])(
    '%j is rejected with a sentence',
    (text) => {
      expect(parseAmount(text)).toEqual(expect.stringMatching(/\.$/))
    },
  )
})

describe('a daily statement', () => {
  const row = { api_key_hash: '0x', key_name: null, action_cid: null, operation: null, quantity: 1 }

  it('sums runs and writes of each day, including days without any', () => {
    const rows = [
      { ...row, day: '2026-03-01', kind: 'execution' as const, cents: 2 },
      { ...row, day: '2026-03-01', kind: 'execution' as const, cents: 3 },
      { ...row, day: '2026-03-03', kind: 'write' as const, cents: 1 },
    ]
    expect(dailyCharges(rows, '2026-03-01', '2026-03-03')).toEqual({
      times: [1, 2, 3].map((day) => Date.UTC(2026, 2, day)),
      runs: [5, 0, 0],
      writes: [0, 0, 1],
    })
  })

  it('covers thirty days that end today', () => {
    expect(lastDays(30, Date.UTC(2026, 2, 30, 23))).toEqual({
      from: '2026-03-01',
      to: '2026-03-30',
    })
  })
})

describe('data for the payment page', () => {
  const given = {
    clientSecret: 'pi_1_secret_2',
    publishableKey: 'pk_test_1',
    amountCents: 500,
  }

  it('is accepted for a payment of the processor', () => {
    expect(parsePayment(given)).toEqual(given)
  })

  it.each([
    undefined,
    'text',
    {},
    { ...given, clientSecret: 'https://evil.example' },
    { ...given, clientSecret: '<img src=x onerror=alert(1)>' },
    { ...given, publishableKey: 'sk_test_1' },
    { ...given, amountCents: 1 },
    { ...given, amountCents: '500' },
    { ...given, amountCents: Number.NaN },
  ])('is rejected if it is %j', (other) => {
    expect(parsePayment(other)).toBeUndefined()
  })

  it('is not given to a tab with stored console data, such as a key', () => {
    expect(canRunThirdPartyScript(() => ['__other'])).toBe(true)
    expect(canRunThirdPartyScript(() => ['svc/console-key'])).toBe(false)
    expect(canRunThirdPartyScript(() => ['svc/action-draft'])).toBe(false)
  })

  it('is not given to a tab with inaccessible storage', () => {
    const refuses = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    expect(canRunThirdPartyScript(refuses)).toBe(false)
  })
})

describe('the payment script', () => {
  it('must be the processor’s in production', () => {
    const production = { SVC_ENV: 'production' as const }
    expect(
      paymentSettingErrors({ ...production, PAYMENT_SCRIPT_URL: PROCESSOR_SCRIPT_URL }),
    ).toEqual([])
    const other = { ...production, PAYMENT_SCRIPT_URL: 'https://js.stripe.com.evil.example/v3/' }
    expect(paymentSettingErrors(other)).toMatchObject([['PAYMENT_SCRIPT_URL', expect.any(String)]])
  })

  it('is restricted to its own origin if it is another one', () => {
    const sources = Object.values(processorSources('http://127.0.0.1:9/v3/')).flat()
    expect(new Set(sources)).toEqual(new Set(['http://127.0.0.1:9']))
  })
})
