import type { Standing } from './payments.ts'

/** A payment that gives no credit (yet): it is unknown here, on its way, or has failed. */
export class NotCredited extends Error {
  readonly standing: Exclude<Standing, { state: 'credited' }>
  constructor(standing: Exclude<Standing, { state: 'credited' }>) {
    super(`the payment is ${standing.state}`)
    this.name = 'NotCredited'
    this.standing = standing
  }
}
