/** Nothing can be paid here: this origin has no payment processor. */
export class NoProcessor extends Error {
  constructor() {
    super('no payment processor is configured')
    this.name = 'NoProcessor'
  }
}
