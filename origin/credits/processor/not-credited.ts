import type { Standing } from './payments.ts'

/** The payment is unknown, pending or failed. */
export class NotCredited extends Error {
  readonly standing: Exclude<Standing, { state: 'credited' }>
  constructor(standing: Exclude<Standing, { state: 'credited' }>) {
    super(`the payment is ${standing.state}`)
    this.name = 'NotCredited'
    this.standing = standing
  }
}
