export class NoProcessorError extends Error {
  constructor() {
    super('no payment processor is configured')
    this.name = 'NoProcessorError'
  }
}
