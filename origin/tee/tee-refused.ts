/** What was asked for is not what this machine is: the origin does not start. */
export class TeeRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'TeeRefused'
  }
}
