/** The TEE does not match the settings or what it reports about itself. The origin does not start. */
export class TeeMismatchError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'TeeMismatchError'
  }
}
