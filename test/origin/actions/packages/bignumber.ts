import { defineAction } from '@svc-run/cli/action'
import { BigNumber } from 'bignumber.js'

export default defineAction(({ a, b }: { a: string; b: string }) => ({
  sum: new BigNumber(a).plus(b).toString(),
  root: new BigNumber(2).sqrt().toFixed(20),
  price: new BigNumber('1234567.891').toFormat(2),
}))
