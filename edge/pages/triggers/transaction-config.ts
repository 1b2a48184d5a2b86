/** Values of `config.transactions` as text. The values of a list are separated by spaces. */
export type ShownTransactions = {
  to: string
  from: string
  selector: string
  min_value: string
  status: string
}

/** Returns `config.transactions` of a trigger as text. Undefined for other triggers. */
export function shownTransactions({
  transactions,
}: Record<string, unknown>): ShownTransactions | undefined {
  if (typeof transactions !== 'object' || transactions === null) return undefined
  const text = (name: keyof ShownTransactions) => {
    const value: unknown = Reflect.get(transactions, name)
    if (Array.isArray(value)) return value.join(' ')
    return typeof value === 'string' ? value : ''
  }
  return {
    to: text('to'),
    from: text('from'),
    selector: text('selector'),
    min_value: text('min_value'),
    status: text('status'),
  }
}

export function describeParties({ to, from }: ShownTransactions): string {
  const parties = (text: string) => {
    const { length } = text.split(' ')
    return length === 1 ? text : `${length} addresses`
  }
  return [from && `from ${parties(from)}`, to && `to ${parties(to)}`].filter(Boolean).join(' ')
}
