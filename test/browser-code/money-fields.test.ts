import { describe, expect, it, test } from 'vitest'
import { windowChoices } from '../../edge/browser/console/keys/spend-windows.ts'
import { parseAmount, parseCents } from '../../edge/browser/format/parse-usd.ts'

const WEIRD = ['-1', '1e3', '1e21', '1,50', '1.5.0', '0x10', '١٢', '12345678', '1.005', ' ', 'NaN']

describe('dollar amounts', () => {
  test.each(WEIRD)('wrong unit: rejects %j', (text) => {
    expect(parseCents(text)).toBeUndefined()
    expect(typeof parseAmount(text)).toBe('string')
  })

  it('are converted to whole cents', () => {
    expect(['1.15', '0.29', '1.1', '4.35'].map(parseCents)).toEqual([115, 29, 110, 435])
    expect(['5', '12.5', '$ 25.99'].map(parseAmount)).toEqual([500, 1250, 2599])
  })
})

describe('the window of a spending cap', () => {
  const offered = [
    ['3600', 'hour'],
    ['86400', 'day'],
    ['604800', 'week'],
  ]

  it('wrong unit: keeps a cap of 30 days selectable when it is changed', () => {
    expect(windowChoices(30 * 86_400)).toEqual([...offered, ['2592000', '2592000 seconds']])
  })

  it('is an hour, a day or a week by default', () => {
    expect(windowChoices(86_400)).toEqual(offered)
  })
})
