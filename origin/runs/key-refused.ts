/** A key operation that this run may not do; the message is for the action's author. */
export class KeyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefused'
  }
}
