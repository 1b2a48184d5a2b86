/** Payments are not possible, because this origin has no payment processor configured. */
export class NoProcessor extends Error {
  constructor() {
    super('no payment processor is configured')
    this.name = 'NoProcessor'
  }
}
