/** Thrown if a payment is requested but no payment processor is configured at this origin. */
export class NoProcessor extends Error {
  constructor() {
    super('no payment processor is configured')
    this.name = 'NoProcessor'
  }
}
