import { describe, expect, it } from 'vitest'
import { canonicalZone, similarZone } from '../../../edge/schedule/zone-names.ts'

describe('the name of a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['America/New_York', 'America/New_York'],
    ['US/Eastern', 'America/New_York'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Katmandu', 'Asia/Kathmandu'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['utc', 'UTC'],
    ['gmt', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Antarctica/Troll', 'Antarctica/Troll'],
  ])('%s is stored as %s', (name, canonical) => {
    expect(canonicalZone(name)).toBe(canonical)
  })

  it.each([
    '',
    'Europe/Moskow',
    '+02:00',
    '-0500',
    'PST',
    'BST',
    'ist',
    'Berlin ',
    'a'.repeat(10_000),
    '__proto__',
  ])('%j is rejected', (name) => expect(canonicalZone(name)).toBeUndefined())

  it.each([
    ['Europe/Moskow', 'Europe/Moscow'],
    ['Berlin', 'Europe/Berlin'],
    ['New York', 'America/New_York'],
    ['America/Sao Paolo', 'America/Sao_Paulo'],
    ['europe-london', 'Europe/London'],
    ['Asia/Katmando', 'Asia/Kathmandu'],
  ])('similar to %s is %s', (name, similar) => expect(similarZone(name)).toBe(similar))

  it.each(['', 'PST', '+02:00', 'x', 'Mars/Olympus_Mons', 'a'.repeat(10_000)])(
    'has no similar name if it is %j',
    (name) => expect(similarZone(name)).toBeUndefined(),
  )
})
