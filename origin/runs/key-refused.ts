/** The run may not perform this key operation. The message is for the action's author. */
export class KeyRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KeyRefused'
  }
}
