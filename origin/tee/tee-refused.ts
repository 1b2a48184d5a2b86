/** The TEE does not match the settings or what it reports about itself. The origin does not start. */
export class TeeRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'TeeRefused'
  }
}
