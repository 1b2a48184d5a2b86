import type { AbiTuple, AbiValue } from './abi-type.ts'

/** Longer texts are cut, because a message or calldata can have any length. */
const SHOWN_CHARACTERS = 200

/** Writes a value of a call or of typed data. Text is quoted, so that it cannot imitate the surrounding text. */
export function valueWords(value: AbiValue): string {
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') {
    // Truncated before it is escaped: a thousand conditions can fail on the same text of 64 KiB.
    const start = value.slice(0, SHOWN_CHARACTERS + 1)
    const isHex = /^0x[0-9a-f]*$/.test(start)
    return cut(isHex ? start : JSON.stringify(start))
  }
  return cut(`[${value.slice(0, 8).map(valueWords).join(', ')}${value.length > 8 ? ', …' : ''}]`)
}

/** Writes arguments as `name: value, name: value`. */
export function argumentWords({ members }: AbiTuple, values: readonly AbiValue[]): string {
  return cut(
    members
      .map(({ name }, index) => {
        const shown = valueWords(values[index]!)
        return name === '' ? shown : `${name}: ${shown}`
      })
      .join(', '),
    4 * SHOWN_CHARACTERS,
  )
}

export function cut(text: string, characters = SHOWN_CHARACTERS): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`
}

export const plural = (count: number, noun: string, nouns = `${noun}s`) =>
  `${count} ${count === 1 ? noun : nouns}`

/** Writes an amount in whole tokens and in the smallest unit: `2.5 (2500000 units)`. */
export function amountWords(amount: bigint, decimals: number | undefined): string {
  if (decimals === undefined || decimals === 0) return `${amount} units`
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${whole}${fraction === '' ? '' : `.${fraction}`} (${amount} units)`
}
