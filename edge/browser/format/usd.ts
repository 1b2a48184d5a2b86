export const formatUsd = (cents: number): string => FORMAT.format(cents / 100)

const FORMAT = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
