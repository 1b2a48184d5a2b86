/** The machine is not what the settings or its own responses claim. The origin does not start. */
export class TeeRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'TeeRefused'
  }
}
