export class NoProcessor extends Error {
  constructor() {
    super('no payment processor is configured')
    this.name = 'NoProcessor'
  }
}
